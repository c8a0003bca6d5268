"""Capture of queued updating for databases that nothing here can run: SQL Server and MySQL.

The statements are text for a database administrator. A parser has read every one of them; no server
has. Merge replication is not written for these databases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from replication_conflicts.database.articles import NodeArticle, NodePublication

DIALECTS = ("tsql", "mysql")
_INTO_QUEUE = (
    "publication, article, change_id, operation, changed_at, old_version, new_version, row_image,"
    " transaction_key"
)


@dataclass(frozen=True)
class Script:
    """What a person runs once. `plain` are whole statements; a trigger is a header, the statements
    between BEGIN and END, and nothing else.
    """

    dialect: str
    plain: tuple[str, ...]
    triggers: tuple[tuple[str, tuple[str, ...]], ...]

    def text(self) -> str:
        """The script, for the database's own client."""
        parts = [f"{statement};" for statement in self.plain]
        for header, body in self.triggers:
            parts.append(f"{header}\nbegin\n    " + ";\n    ".join(body) + ";\nend")
        if self.dialect == "tsql":
            return "\ngo\n".join(parts) + "\ngo\n"
        plain = "\n\n".join(parts[: len(self.plain)])
        triggers = "\n\n".join(f"{part}$$" for part in parts[len(self.plain) :])
        return f"{plain}\n\ndelimiter $$\n\n{triggers}\n\ndelimiter ;\n"


def script(publication: NodePublication, node: str, dialect: str) -> Script:
    """Everything that makes the publication's tables captured ones."""
    write = _SqlServer if dialect == "tsql" else _MySql
    plain = [*write.tables]
    plain.append(
        "insert into replication_node (publication, node, next_batch)"
        f" values ({_literal(publication.name)}, {_literal(node)}, 1)"
    )
    triggers: list[tuple[str, tuple[str, ...]]] = []
    for article in publication.articles.values():
        one = write(publication.name, article)
        plain.append(one.add_version())
        triggers.extend(one.triggers())
    return Script(dialect, tuple(plain), tuple(triggers))


def _literal(text: str) -> str:
    return exp.Literal.string(text).sql()


class _SqlServer:
    """One trigger for all rows of a statement."""

    tables: Sequence[str] = (
        "create table replication_node (publication nvarchar(128) not null primary key,"
        " node nvarchar(128) not null, next_batch bigint not null, batch_size int)",
        "create table replication_queue (queue_id bigint identity(1, 1) not null primary key,"
        " publication nvarchar(128) not null, article nvarchar(128) not null,"
        " change_id nvarchar(36) not null, operation nvarchar(10) not null,"
        " changed_at datetime2(6) not null, old_version nvarchar(36), new_version nvarchar(36),"
        " row_image nvarchar(max) not null, transaction_key nvarchar(40) not null,"
        " batch bigint, transaction_id nvarchar(36), transaction_change_count int,"
        " transaction_order bigint)",
    )
    _is_own = (
        "session_context(N'replication_conflicts.agent') is null"
        " and trigger_nestlevel(@@procid) = 1"
    )

    def __init__(self, publication: str, article: NodeArticle) -> None:
        self._publication = publication
        self._article = article
        self._table = self._name(article.name)
        self._version = self._name(article.shape.version_column)

    def add_version(self) -> str:
        return f"alter table {self._table} add {self._version} nvarchar(36) null"

    def triggers(self) -> Iterable[tuple[str, tuple[str, ...]]]:
        header = (
            f"create trigger {self._name(f'replication_{self._article.name}')} on {self._table}"
            " after insert, update, delete as"
        )
        written = f"{self._table} as held inner join inserted on {self._same('held', 'inserted')}"
        was = f"left join deleted on {self._same('held', 'deleted')}"
        is_gone = (
            "from deleted where not exists"
            f" (select 1 from inserted where {self._same('inserted', 'deleted')})"
        )
        operation = f"case when deleted.{self._key(0)} is null then 'insert' else 'update' end"
        yield (
            header,
            (
                "set nocount on",
                f"update held set {self._version} = lower(cast(newid() as nvarchar(36)))"
                f" from {written} where {self._is_own}",
                self._queue(
                    "'delete'",
                    f"deleted.{self._version}",
                    "null",
                    self._image("deleted", self._article.shape.primary_key),
                    f"{is_gone} and {self._is_own}",
                ),
                self._queue(
                    operation,
                    f"deleted.{self._version}",
                    f"held.{self._version}",
                    self._image("held", self._article.kinds),
                    f"from {written} {was} where {self._is_own}",
                ),
            ),
        )

    def _queue(self, operation: str, old: str, new: str, image: str, source: str) -> str:
        return (
            f"insert into replication_queue ({_INTO_QUEUE}) select {_literal(self._publication)},"
            f" {_literal(self._article.name)}, lower(cast(newid() as nvarchar(36))), {operation},"
            f" sysutcdatetime(), {old}, {new}, {image},"
            f" cast(current_transaction_id() as nvarchar(40)) {source}"
        )

    def _image(self, alias: str, columns: Iterable[str]) -> str:
        listed = ", ".join(f"{alias}.{self._name(name)}" for name in columns)
        return f"(select {listed} for json path, include_null_values, without_array_wrapper)"

    def _same(self, left: str, right: str) -> str:
        keys = [self._name(name) for name in self._article.shape.primary_key]
        return " and ".join(f"{left}.{name} = {right}.{name}" for name in keys)

    def _key(self, number: int) -> str:
        return self._name(self._article.shape.primary_key[number])

    @staticmethod
    def _name(name: str) -> str:
        return exp.to_identifier(name, quoted=True).sql("tsql")


class _MySql:
    """Triggers for each row; `replace into` calls those for deletes."""

    tables: Sequence[str] = (
        "create table replication_node (publication varchar(128) not null primary key,"
        " node varchar(128) not null, next_batch bigint not null, batch_size int)",
        "create table replication_queue (queue_id bigint not null auto_increment primary key,"
        " publication varchar(128) not null, article varchar(128) not null,"
        " change_id varchar(36) not null, operation varchar(10) not null,"
        " changed_at datetime(6) not null, old_version varchar(36), new_version varchar(36),"
        " row_image json not null, transaction_key varchar(40) not null, batch bigint,"
        " transaction_id varchar(36), transaction_change_count int, transaction_order bigint)",
    )
    _is_own = "@replication_conflicts_agent is null"
    # needs the privilege PROCESS for who defines the trigger
    _transaction = (
        "(select trx_id from information_schema.innodb_trx"
        " where trx_mysql_thread_id = connection_id())"
    )

    def __init__(self, publication: str, article: NodeArticle) -> None:
        self._publication = publication
        self._article = article
        self._table = self._name(article.name)
        self._version = self._name(article.shape.version_column)

    def add_version(self) -> str:
        return f"alter table {self._table} add column {self._version} varchar(36) null"

    def triggers(self) -> Iterable[tuple[str, tuple[str, ...]]]:
        stamp = f"set new.{self._version} = if({self._is_own}, uuid(), new.{self._version})"
        new_image = self._image("new", self._article.kinds)
        old_key = self._image("old", self._article.shape.primary_key)
        is_same = " and ".join(
            f"old.{self._name(name)} <=> new.{self._name(name)}"
            for name in self._article.shape.primary_key
        )
        old, new = f"old.{self._version}", f"new.{self._version}"
        removed = self._queue("delete", old, "null", old_key)
        added = self._queue("insert", "null", new, new_image)
        changed = self._queue("update", old, new, new_image)
        yield self._header("before insert"), (stamp,)
        yield self._header("before update"), (stamp,)
        yield self._header("after insert"), (added,)
        yield self._header("after delete"), (removed,)
        yield (
            self._header("after update"),
            (
                f"{removed} and not ({is_same})",
                f"{added} and not ({is_same})",
                f"{changed} and {is_same}",
            ),
        )

    def _header(self, event: str) -> str:
        name = self._name(f"replication_{self._article.name}_{event.replace(' ', '_')}")
        return f"create trigger {name} {event} on {self._table} for each row"

    def _queue(self, operation: str, old: str, new: str, image: str) -> str:
        return (
            f"insert into replication_queue ({_INTO_QUEUE}) select {_literal(self._publication)},"
            f" {_literal(self._article.name)}, uuid(), '{operation}', utc_timestamp(6), {old},"
            f" {new}, {image}, {self._transaction} from dual where {self._is_own}"
        )

    def _image(self, alias: str, columns: Iterable[str]) -> str:
        pairs = ", ".join(f"{_literal(name)}, {alias}.{self._name(name)}" for name in columns)
        return f"json_object({pairs})"

    @staticmethod
    def _name(name: str) -> str:
        return exp.to_identifier(name, quoted=True).sql("mysql")
