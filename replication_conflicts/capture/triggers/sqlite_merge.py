"""Triggers of merge replication in SQLite."""

from __future__ import annotations

from collections.abc import Sequence

from replication_conflicts.capture.triggers.merge_bodies import MergeBodies
from replication_conflicts.capture.triggers.sqlite_queued import (
    AFTER_OTHER_UPDATE,
    IS_NODES_OWN,
    NOW,
    RowsInTheWay,
    Updates,
    trigger_name,
)
from replication_conflicts.capture.triggers.sqlite_unique import Uniqueness
from replication_conflicts.capture.triggers.sqlite_values import refused_values
from replication_conflicts.capture.triggers.words import Words
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.images import image_sql, literal

EVENTS = (
    "before_insert",
    "after_insert",
    "before_update",
    "after_update",
    "after_rename",
    "after_delete",
)


def words(publication: str) -> Words:
    """SQLite's words."""
    mine = f"where publication = {literal(publication)}"
    return Words(
        dialect="sqlite",
        stamps_first=False,
        take_number=(
            f"update replication_node set last_number = last_number + 1 {mine}"
            " and exists (select 1 from {table} where {condition})"
        ),
        number=f"(select last_number from replication_node {mine})",
        row_number=f"(select last_number from replication_node {mine}) + row_number() over ()",
        rows_numbered=(
            "update replication_node set last_number = max(last_number, {last}) " + mine
        ),
        now=NOW,
        # byte by byte, however the column is compared otherwise
        is_same="is {} collate binary",
        is_other="is not {} collate binary",
        exact={},
        merged="json_patch({a}, {b})",
        entry="json_object({name}, {value})",
        entries="json_each({lineage})",
        entry_number="entry.value",
        lineage="json_group_object(node, number)",
    )


def create(
    publication: NodePublication,
    node: str,
    article: NodeArticle,
    unique: Uniqueness,
) -> tuple[str, ...]:
    """One statement a trigger."""
    bodies = MergeBodies(words(publication.name), publication, node, article)
    updates = Updates(article, unique)
    is_kept = bodies.key_is_kept()
    image = image_sql(article, "sqlite", "held")
    rows = RowsInTheWay(article, unique)
    replaced = [*bodies.replaced(rows.gone()), rows.forgotten()]

    def trigger(event: str, when: str, body: Sequence[str], condition: str = "true") -> str:
        statements = "\n".join(f"    {statement};" for statement in body)
        return (
            f"create trigger {trigger_name(article.name, event)} {when} on {bodies.table}\n"
            f"when {IS_NODES_OWN} and ({condition})\nbegin\n{statements}\nend"
        )

    def in_the_way(event: str) -> list[str]:
        return [
            *refused_values(article, event),
            bodies.known_in_the_way(rows.condition(event)),
            *rows.noted(event, image, bodies.beside()),
        ]

    return (
        trigger("before_insert", "before insert", in_the_way("insert")),
        trigger("after_insert", "after insert", [*replaced, *bodies.inserted()]),
        trigger(
            "before_update",
            f"before {updates.of_any}",
            [*in_the_way("update"), bodies.free_key()],
        ),
        trigger(
            "after_update",
            f"after {updates.of_article}",
            [*replaced, *bodies.updated()],
            f"{is_kept} and ({bodies.is_changed()})",
        ),
        trigger(
            "after_rename",
            f"after {updates.of_article}",
            [*replaced, *bodies.deleted(), *bodies.inserted()],
            f"not ({is_kept})",
        ),
        trigger(
            "after_delete",
            "after delete",
            # it may be the one that has replaced the one of that key
            [*bodies.deleted(), rows.deleted()],
        ),
        *(trigger(AFTER_OTHER_UPDATE, f"after {one}", replaced) for one in updates.of_others),
    )


def drop(article: str) -> tuple[str, ...]:
    """Statements that take the triggers away; those of queued updating have the same names."""
    events = (*EVENTS, AFTER_OTHER_UPDATE)
    return tuple(f"drop trigger if exists {trigger_name(article, event)}" for event in events)
