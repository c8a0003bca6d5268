"""What only tables of PostgreSQL are asked."""

from __future__ import annotations

from sqlalchemy import Connection

from replication_conflicts.capture.postgres_types import better_postgres_type
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.triggers.postgres_queued import plain_names, queue_trigger
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.catalog import regclass
from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.statements import run_plain


def check_sees_all(connection: Connection, publication: NodePublication) -> None:
    """Errors: CaptureProblem where row level security hides rows from who asks (PostgreSQL).

    Commands would find no row and do nothing, and triggers would see none of what was written.
    """
    if connection.dialect.name == "sqlite":
        return
    for name in publication.articles:
        table = literal(quoted(name))
        query = (
            "select current_user from pg_class"
            f" where oid = to_regclass({table}) and row_security_active(oid)"
        )
        user = run_plain(connection, query).scalar()
        if user is not None:
            raise CaptureProblem(
                f"row level security may hide rows of table {name!r} from {user!r}: capture and the"
                " agent need the table's owner, without `force row level security`, or a role with"
                " `bypassrls`"
            )


def check_encoding(connection: Connection) -> None:
    """Errors: CaptureProblem where PostgreSQL keeps texts as bytes that may be no text at all."""
    encoding = run_plain(connection, "show server_encoding").scalar_one()
    if encoding == "SQL_ASCII":
        raise CaptureProblem(
            f"the database keeps its texts in {encoding}, which is any bytes: make a new database"
            " `encoding 'UTF8' template template0`, and take everything there by `pg_dump`"
        )


def check_is_alone(connection: Connection, article: NodeArticle) -> None:
    """Triggers are of one table: what is written to those that inherit from it is not captured."""
    table = regclass(article.name)
    query = (
        "select cast(heir.inhrelid as regclass)::text from pg_inherits heir"
        " join pg_class one on one.oid = heir.inhrelid"
        f" where heir.inhparent = {table} and not one.relispartition order by 1"
    )
    heir = run_plain(connection, query).scalar()
    if heir is not None:
        raise CaptureProblem(
            f"table {article.name!r}: the table {heir} inherits from it, and rows there are seen in"
            f" it without being captured: `alter table {heir} no inherit"
            f" {quoted(article.name)}`"
        )


def check_outlives_a_crash(connection: Connection, article: NodeArticle) -> None:
    """PostgreSQL empties what is unlogged after a crash, and calls no trigger."""
    query = (
        "select cast(cast(oid as regclass) as text) from pg_class"
        f" where (oid = {regclass(article.name)}"
        f" or oid in (select relid from pg_partition_tree({regclass(article.name)})))"
        " and relpersistence = 'u' order by 1"
    )
    unlogged = run_plain(connection, query).scalar()
    if unlogged is not None:
        raise CaptureProblem(
            f"table {article.name!r}: after a crash PostgreSQL empties {unlogged}, which is"
            f" unlogged, without calling a trigger: `alter table {unlogged} set logged`"
        )


def check_is_written_as_said(connection: Connection, article: NodeArticle) -> None:
    """A rule makes another statement of one, and what that leaves is not what was said."""
    table = regclass(article.name)
    query = f"select rulename from pg_rewrite where ev_class = {table} order by 1"
    rule = run_plain(connection, query).scalar()
    if rule is not None:
        raise CaptureProblem(
            f"table {article.name!r}: the rule {quoted(rule)} makes other statements of those that"
            f" write to it, also of commands: `drop rule {quoted(rule)} on {quoted(article.name)}`,"
            " and have a trigger do it"
        )


def check_is_immediate(connection: Connection, article: NodeArticle) -> None:
    """Rows that trade keys in one statement have the same one meanwhile, and are captured then."""
    key = sorted(article.shape.primary_key)
    query = (
        "select bool_or(one.indimmediate) from pg_index one"
        f" where one.indrelid = {regclass(article.name)}"
        " and one.indisunique and one.indpred is null and"
        ' (select array_agg(cast(held.attname as text) order by held.attname collate "C")'
        " from pg_attribute held where held.attrelid = one.indrelid"
        " and held.attnum = any((cast(one.indkey as int2[]))[0:one.indnkeyatts - 1]))"
        f" = array[{', '.join(map(literal, key))}]"
    )
    if run_plain(connection, query).scalar() is False:
        raise CaptureProblem(
            f"table {article.name!r}: its key ({', '.join(article.shape.primary_key)}) is"
            " deferrable, so that two rows may have the same one for a while, and neither could be"
            " told from the other: make it `not deferrable`"
        )


def check_types(connection: Connection, article: NodeArticle) -> None:
    """PostgreSQL makes other values of some that come, without a word, or takes none of them."""
    query = (
        "with recursive held (name, kind, modifier) as ("
        "select cast(attname as text), atttypid, atttypmod from pg_attribute"
        f" where attrelid = {regclass(article.name)}"
        " and attnum > 0 and not attisdropped"
        " union all"
        " select held.name, one.typbasetype, one.typtypmod from held"
        " join pg_type one on one.oid = held.kind where one.typtype = 'd'"
        ") select held.name, format_type(held.kind, held.modifier) as type from held"
        " join pg_type one on one.oid = held.kind where one.typtype <> 'd'"
    )
    declared = {row["name"]: row["type"] for row in run_plain(connection, query).mappings()}
    for name, kind in article.kinds.items():
        better = better_postgres_type(kind, declared[name])
        if better is not None:
            raise CaptureProblem(
                f"table {article.name!r}, column {name!r}: PostgreSQL does not keep every"
                f" {kind.ddl} as it is in a column of type {declared[name]}; make it {better}"
            )


def check_order_of_triggers(connection: Connection, article: NodeArticle) -> None:
    """PostgreSQL runs triggers by their names, and what one writes must not be queued before the
    change that has called it.
    """
    queue = queue_trigger(article.name)
    # neither before the row is written nor instead
    condition = f'tgtype & (2 | 64) = 0 and tgname collate "C" < {literal(queue)}'
    name = _trigger_of_each_row(connection, article, condition)
    if name is not None:
        raise CaptureProblem(
            f"table {article.name!r} has a trigger {name!r} that PostgreSQL runs before the one"
            f" that queues changes, {queue!r}: what it writes would be queued before the"
            " change that has called it. Give it another name, such as one that begins with a small"
            " letter"
        )


def check_last_word(connection: Connection, article: NodeArticle) -> None:
    """Merge replication gives a changed row another version, and asks for that what is written."""
    version, *_ = plain_names(article.name)
    # before the row is inserted or updated
    condition = (
        f'tgtype & 2 = 2 and tgtype & (4 | 16) <> 0 and tgname collate "C" > {literal(version)}'
    )
    name = _trigger_of_each_row(connection, article, condition)
    if name is not None:
        raise CaptureProblem(
            f"table {article.name!r} has a trigger {name!r} that PostgreSQL runs behind the one"
            f" that gives a changed row its version, {version!r}: what it changes would have no"
            " version. Give it another name, such as one that begins with a capital letter"
        )


def collations(connection: Connection, article: NodeArticle) -> dict[str, str]:
    """Key columns of type citext, or with a collation that is not deterministic."""
    names = ", ".join(literal(name) for name in article.shape.primary_key)
    query = (
        "select held.attname as name, coalesce(other.collname, 'citext') as said"
        " from pg_attribute held"
        " join pg_type kind on kind.oid = held.atttypid"
        " left join pg_type base on base.oid = kind.typbasetype"
        " left join pg_collation other"
        " on other.oid = held.attcollation and not other.collisdeterministic"
        f" where held.attrelid = {regclass(article.name)}"
        f" and held.attname in ({names}) and (other.oid is not null"
        " or 'citext' in (kind.typname, base.typname))"
    )
    return {row["name"]: row["said"] for row in run_plain(connection, query).mappings()}


def _trigger_of_each_row(
    connection: Connection, article: NodeArticle, condition: str
) -> str | None:
    """The name of the first such trigger of PostgreSQL, by the columns of `pg_trigger`."""
    query = (
        "select tgname from pg_trigger"
        f" where tgrelid = {regclass(article.name)}"
        f" and not tgisinternal and tgtype & 1 = 1 and {condition} order by tgname"
    )
    name: str | None = run_plain(connection, query).scalar()
    return name
