"""One conflict from both sides: what the loser's people wrote, and what everybody has now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from replication_conflicts.database.articles import NodeArticle
from replication_conflicts.demo.databases import NodeRows
from replication_conflicts.demo.lakehouse import RELATIONS, Lakehouse
from replication_conflicts.demo.site import Site
from replication_conflicts.lakehouse.relations import canonical_columns
from replication_conflicts.publication.values import Texts

_CANDIDATES = 100
# many keys of the demo hold quotes, bars and backslashes; the one that is shown has none
_PLAIN_KEY = re.compile(r"[\w.|-]+")


@dataclass(frozen=True)
class Column:
    """One column of the row, as canonical text at each side."""

    name: str
    lost: str | None
    at_loser: str | None
    at_publisher: str | None


@dataclass(frozen=True)
class BothSides:
    """A conflict whose row exists; `table` holds the row that lost.

    `is_at_loser`: whether the loser's own database has the record, too.
    """

    conflict_id: str
    kind: str
    reason: str
    table: str
    article: str
    loser: str
    publisher: str
    columns: tuple[Column, ...]
    is_at_loser: bool


def both_sides(
    lakehouse: Lakehouse, site: Site, held: Mapping[str, NodeRows], published: NodeRows
) -> BothSides | None:
    """A conflict that a subscriber has lost, rather of a plain key, of two updates, and late; None
    where no conflict has left a row that is another one now.
    """
    publication = site.publication
    candidates = lakehouse.rows(
        "select conflict_id, article, row_key, conflict_kind, reason_text, loser_node"
        f" from {RELATIONS.published}.conflicts_info"
        f" where publication = '{publication.name}' and has_lost_row"
        f" and loser_node <> '{publication.options.publisher}'"
        " order by conflict_kind = 'update_update' desc, transaction_position desc, conflict_id"
        f" limit {_CANDIDATES}"
    )
    # those of plain keys first, each in their order
    for one in sorted(candidates, key=lambda one: not _has_plain_key(one)):
        article = publication.article(str(one["article"]))
        lost = _lost_row(lakehouse, article, str(one["conflict_id"]))
        key = tuple(lost[name] for name in article.shape.primary_key)
        now = published[article.name].get(key)
        loser, publisher = str(one["loser_node"]), publication.options.publisher
        at_loser = held[loser][article.name].get(key)
        at_publisher = held[publisher][article.name].get(key)
        if not now or not at_loser or not at_publisher or not _differ(article, lost, now):
            continue
        return BothSides(
            str(one["conflict_id"]),
            str(one["conflict_kind"]),
            str(one["reason_text"]),
            _table(article),
            article.name,
            loser,
            publisher,
            tuple(
                Column(name, lost[name], at_loser[name], at_publisher[name])
                for name in article.kinds
            ),
            site.has_record(loser, str(one["conflict_id"])),
        )
    return None


def _has_plain_key(conflict: Mapping[str, object]) -> bool:
    return _PLAIN_KEY.fullmatch(str(conflict["row_key"])) is not None


def _table(article: NodeArticle) -> str:
    return f"conflict_{article.shape.publication}_{article.name}"


def _lost_row(lakehouse: Lakehouse, article: NodeArticle, conflict_id: str) -> Texts:
    texts = canonical_columns(article.shape.columns)
    (row,) = lakehouse.rows(
        f"select {', '.join(texts)} from {RELATIONS.published}.{_table(article)}"
        f" where conflict_id = '{conflict_id}'"
    )
    return {name: None if row[name] is None else str(row[name]) for name in article.kinds}


def _differ(article: NodeArticle, lost: Texts, now: Texts) -> bool:
    return any(lost[name] != now[name] for name in article.kinds)
