"""Reading what a build wrote, as typed values; each relation is read once a build."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlparse

from replication_conflicts.lakehouse.delta_log import newest_versions
from replication_conflicts.lakehouse.relations import canonical_columns
from replication_conflicts.publication.commands import BEHIND_BITS, SnapshotTable
from replication_conflicts.publication.publication import Article, Publication
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.publication.values import Row
from replication_conflicts.scenarios.project import ConsumerProject
from replication_conflicts.scenarios.side_by_side import code_of
from replication_conflicts.scenarios.suite import CASE_COLUMN
from replication_conflicts.simulation import Command, command_from_record

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Record = dict[str, object]
Found = TypeVar("Found")
OfPublication = tuple[str | None, str]

# Relations and columns that may differ between two ways to the same result.
COMPARED_RELATIONS = (
    "change_outcomes",
    "conflicts_info",
    "rejected_changes",
    "subscriber_commands",
    "subscription_status",
)
RUN_COLUMNS = frozenset(
    {
        "run_id",
        "run_sequence",
        "decided_at",
        "create_time",
        "rejected_at",
        "snapshot",
        "snapshot_position",
    }
)


class Outputs:
    """The pipeline's relations in the target schema of a project."""

    def __init__(self, spark: SparkSession, project: ConsumerProject) -> None:
        self._spark = spark
        self._schema = project.schema
        self._cache: dict[tuple[str, ...], Any] = {}

    def forget(self) -> None:
        """A build has run: everything is read again."""
        self._cache.clear()

    # rows

    def published_rows(self, publication: Publication, article: str) -> dict[str, list[Row]]:
        """The published rows of an article, per case."""

        def read() -> dict[str, list[Row]]:
            found = publication.articles[article]
            records = self._article_records(f"{publication.name}__{article}", found, {})
            return _by_case((str(row[CASE_COLUMN]), found.from_texts(row)) for row in records)

        return self._once(("published", publication.name, article), read)

    def stored_rows(self, publication: Publication, article: str) -> dict[str, list[StoredRow]]:
        """The rows of an article with their versions, tombstones included, per case."""

        def read() -> dict[str, list[StoredRow]]:
            relation = f"{self._schema}.{publication.name}__{article}__versions"
            return self._stored(publication, article, relation, "")

        return self._once(("stored", publication.name, article), read)

    def snapshot_rows(
        self, publication: Publication, tables: Sequence[SnapshotTable], code: str
    ) -> list[StoredRow]:
        """The rows of one case in the snapshot that a command names."""
        rows: list[StoredRow] = []
        for table in tables:
            travel = f" version as of {table.table_version}"
            by_case = self._stored(publication, table.article, table.relation, travel)
            rows += [row for row in by_case.get(code, []) if not row.is_deleted]
        return rows

    def _stored(
        self, publication: Publication, name: str, relation: str, travel: str
    ) -> dict[str, list[StoredRow]]:
        article = publication.articles[name]
        extra = {"row_version": "row_version", "is_deleted": "cast(is_deleted as string)"}
        if publication.is_merge:
            extra["lineage"] = "to_json(lineage)"
        records = self._article_records(relation, article, extra, travel)
        return _by_case(
            (
                str(record[CASE_COLUMN]),
                StoredRow(
                    article=name,
                    row=article.from_texts(record),
                    version=record.get("row_version") or "",
                    lineage=json.loads(record.get("lineage") or "{}"),
                    is_deleted=record.get("is_deleted") == "true",
                ),
            )
            for record in records
        )

    def _article_records(
        self, relation: str, article: Article, extra: Mapping[str, str], travel: str = ""
    ) -> list[dict[str, str | None]]:
        selected = canonical_columns({name: kind.ddl for name, kind in article.columns.items()})
        selected += [f"{expression} as `{name}`" for name, expression in extra.items()]
        if "." not in relation:
            relation = f"{self._schema}.{relation}"
        if not self._exists(relation):
            return []
        rows = self._spark.sql(f"select {', '.join(selected)} from {relation}{travel}").collect()
        return [row.asDict() for row in rows]

    # records

    def records(self, relation: str) -> list[Record]:
        """All rows of a relation as dictionaries; none if there is no such relation."""

        def read() -> list[Record]:
            if not self._exists(f"{self._schema}.{relation}"):
                return []
            rows = self._spark.table(f"{self._schema}.{relation}").collect()
            return [row.asDict(recursive=True) for row in rows]

        return self._once(("records", relation), read)

    def commands(self, publication: Publication, code: str, subscriber: str) -> list[Command]:
        """The commands of one subscriber about its case's rows, in order."""

        def read() -> dict[tuple[str, str], list[Record]]:
            found: dict[tuple[str, str], list[Record]] = {}
            for record in self._command_records():
                name = (str(record["publication"]), str(record["subscriber"]))
                found.setdefault(name, []).append(record)
            return found

        records = self._once(("commands",), read).get((publication.name, subscriber), [])
        commands = [
            command_from_record(publication, record) for record in records if _is_of(record, code)
        ]
        return sorted(commands, key=lambda command: command.order)

    def command_ids(self, publication: Publication) -> list[str]:
        """The commands that runs have written for a publication."""
        relation = f"{self._schema}.distribution_commands"
        if not self._exists(relation):
            return []
        rows = self._spark.sql(
            f"select command_id from {relation} where publication = '{publication.name}'"
        )
        return [str(row[0]) for row in rows.collect()]

    def sequences(self, publication: str, code: str, publisher: str) -> dict[str, int]:
        """The `sequence` of every command of one case, as if there were no other cases.

        Their commands come between where they act at one place of the queue, or where row filters
        have a command about each row for everybody's subscribers.
        """
        by_place: dict[tuple[int, int], list[tuple[int, str]]] = {}
        for record in self.records("distribution_commands"):
            subscriber = record["subscriber"]
            is_own = subscriber in (None, publisher) or code_of({"subscriber": subscriber}) == code
            if record["publication"] != publication or not is_own or not _is_of(record, code):
                continue
            sequence = int(str(record["sequence"]))
            place = (int(str(record["queue_position"])), sequence >> BEHIND_BITS)
            by_place.setdefault(place, []).append((sequence, str(record["command_id"])))
        return {
            command_id: (behind << BEHIND_BITS) + number
            for (_, behind), commands in by_place.items()
            for number, (_, command_id) in enumerate(sorted(commands), start=1)
        }

    def _command_records(self) -> list[Record]:
        if not self._exists(f"{self._schema}.subscriber_commands"):
            return []
        # commands about a case's rows also go to the subscribers of all other cases: not read
        rows = self._spark.sql(
            f"select commands.*, written.subscriber as addressee"
            f" from {self._schema}.subscriber_commands as commands"
            f" inner join {self._schema}.distribution_commands as written"
            " on commands.command_id = written.command_id"
            " where commands.key is null"
            f" or split(commands.subscriber, '_')[0] = commands.key['{CASE_COLUMN}']"
        )
        return [row.asDict(recursive=True) for row in rows.collect()]

    def outcomes(self, publication: str) -> dict[str, Record]:
        """The decision about every change of a publication, by change id."""

        def read() -> dict[str, dict[str, Record]]:
            found: dict[str, dict[str, Record]] = {}
            for record in self.records("change_outcomes"):
                by_id = found.setdefault(str(record["publication"]), {})
                by_id[str(record["change_id"])] = record
            return found

        return self._once(("outcomes",), read).get(publication, {})

    def conflicts(self, publication: str, code: str) -> list[Record]:
        """The conflicts of one case, as conflicts_info has them."""
        return [
            record
            for record in self.records("conflicts_info")
            if record["publication"] == publication and code_of(record) == code
        ]

    def rejected(self, publication: str, code: str) -> list[Record]:
        """The rejected changes of one case."""
        return [
            record
            for record in self.records("rejected_changes")
            if record["publication"] == publication and code_of(record) == code
        ]

    def status(self, publication: str, subscriber: str) -> Record | None:
        """A row of subscription_status."""
        for record in self.records("subscription_status"):
            if (record["publication"], record["subscriber"]) == (publication, subscriber):
                return record
        return None

    def lost_rows(self, publication: Publication, article: str) -> dict[str, Row]:
        """The losing rows in an article's conflict table, by conflict id."""

        def read() -> dict[str, Row]:
            found = publication.articles[article]
            relation = f"conflict_{publication.name}_{article}"
            records = self._article_records(relation, found, {"conflict_id": "conflict_id"})
            return {str(record["conflict_id"]): found.from_texts(record) for record in records}

        return self._once(("lost", publication.name, article), read)

    def won_rows(self, publication: Publication, article: str) -> dict[str, Row | None]:
        """What stayed at the publisher, by conflict id, as the views about conflicts show it."""
        found = publication.articles[article]
        rows = self._once(("won",), self._winning_rows).get((publication.name, article), {})
        return {
            conflict: None if texts is None else found.from_texts(texts)
            for conflict, texts in rows.items()
        }

    def _winning_rows(self) -> dict[tuple[str, str], dict[str, dict[str, str | None] | None]]:
        with_lost_row = self._spark.sql(
            "select publication, article, conflict_id, if(any(is_winner_deleted), null,"
            " map_from_entries(collect_list(struct(colname, winning_value)))) as winning_row"
            f" from {self._schema}.conflict_rows group by publication, article, conflict_id"
        )
        without_lost_row = self._spark.sql(
            "select publication, article, conflict_id, winning_row"
            f" from {self._schema}.delete_conflict_rows"
        )
        found: dict[tuple[str, str], dict[str, dict[str, str | None] | None]] = {}
        for row in with_lost_row.unionAll(without_lost_row).collect():
            of_article = found.setdefault((row["publication"], row["article"]), {})
            of_article[row["conflict_id"]] = row["winning_row"]
        return found

    # whole relations

    def canonical(self, publications: Iterable[Publication]) -> dict[OfPublication, list[str]]:
        """Everything that does not depend on when runs were, as sorted JSON rows.

        Keys are (publication, relation); the publication is None for relations over all of them.
        """
        relations: list[OfPublication] = [(None, relation) for relation in COMPARED_RELATIONS]
        for publication in publications:
            for article in publication.articles:
                relations.append((publication.name, f"{publication.name}__{article}__versions"))
                relations.append((publication.name, f"conflict_{publication.name}_{article}"))
        return {named: self._canonical_rows(named[1]) for named in relations}

    def _canonical_rows(self, relation: str) -> list[str]:
        if not self._exists(f"{self._schema}.{relation}"):
            return []
        frame = self._spark.table(f"{self._schema}.{relation}")
        columns = [name for name in sorted(frame.columns) if name not in RUN_COLUMNS]
        names = ", ".join(f"`{name}`" for name in columns)
        options = "map('ignoreNullFields', 'false')"
        rows = frame.selectExpr(f"to_json(struct({names}), {options}) as row").collect()
        return sorted(str(row["row"]) for row in rows)

    # Delta versions

    def table_versions(self) -> dict[str, int]:
        """The newest Delta version of every table in the target schema."""
        location = self._once(("location",), self._location)
        return {} if location is None else newest_versions(location)

    def _location(self) -> Path | None:
        if not self._spark.catalog.databaseExists(self._schema):
            return None
        described = self._spark.catalog.getDatabase(self._schema)
        return Path(unquote(urlparse(described.locationUri).path))

    def _exists(self, relation: str) -> bool:
        return self._once(("exists", relation), lambda: self._spark.catalog.tableExists(relation))

    def _once(self, name: tuple[str, ...], read: Callable[[], Found]) -> Found:
        if name not in self._cache:
            self._cache[name] = read()
        found: Found = self._cache[name]
        return found


def _is_of(record: Record, code: str) -> bool:
    key = record.get("key")
    return not isinstance(key, Mapping) or key.get(CASE_COLUMN) == code


def _by_case(pairs: Iterable[tuple[str, Found]]) -> dict[str, list[Found]]:
    found: dict[str, list[Found]] = {}
    for code, value in pairs:
        found.setdefault(code, []).append(value)
    return found
