"""What `install` asks of a table before it is captured."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlalchemy import Connection, Inspector, String, inspect, select
from sqlalchemy.exc import DBAPIError

from replication_conflicts.capture.affinity import better_type
from replication_conflicts.capture.postgres_types import better_postgres_type
from replication_conflicts.capture.triggers.postgres_queued import plain_names, queue_trigger
from replication_conflicts.capture.triggers.sqlite_unique import expression_indexes, parts
from replication_conflicts.capture.triggers.sqlite_values import held_values, is_refused
from replication_conflicts.database import agent_tables
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.faults import error_text
from replication_conflicts.database.images import image_sql, literal, quoted
from replication_conflicts.database.statements import run_plain


class CaptureProblem(Exception):
    """Capture cannot be installed, used or removed; the message says why in one line."""


def check_node(name: str) -> None:
    """Errors: CaptureProblem where it is no name that a subscription could have."""
    if not name or name != name.strip():
        raise CaptureProblem(f"--node is '{name}': it must be a name, without blanks around it")


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
    """Errors: CaptureProblem where SQLite keeps texts otherwise than in UTF-8.

    The triggers read their bytes, and would refuse each text.
    """
    if connection.dialect.name != "sqlite":
        return
    encoding = run_plain(connection, "pragma encoding").scalar_one()
    if encoding != "UTF-8":
        raise CaptureProblem(
            f"the database keeps its texts in {encoding}: capture reads UTF-8 only. Make a new"
            " database, which has UTF-8 by itself, and take everything there: `sqlite3 old.db .dump"
            " | sqlite3 new.db`"
        )


def check_table(
    connection: Connection,
    inspector: Inspector,
    publication: NodePublication,
    article: NodeArticle,
) -> None:
    """Errors: CaptureProblem where the article's table cannot be captured as it is."""
    if connection.dialect.name == "sqlite":
        _check_name(article)
        # first: SQLAlchemy warns of such an index wherever it reads a table's keys
        _check_expressions(connection, article)
    _check_columns(connection, inspector, article)
    _check_version_column(connection, inspector, publication, article)
    _check_collations(connection, article)
    _check_generated(connection, article)
    _check_references(connection, publication, article)
    if connection.dialect.name == "sqlite":
        _check_types(connection, article)
        _check_triggers(connection, article)
        return
    _check_is_alone(connection, article)
    _check_is_immediate(connection, article)
    _check_postgres_types(connection, article)
    if publication.is_merge:
        _check_last_word(connection, article)
    else:
        _check_order_of_triggers(connection, article)


def _check_name(article: NodeArticle) -> None:
    """In a trigger's update such a name is the table's, and SQLite lets the table have no other."""
    if article.name.lower() in ("new", "old"):
        raise CaptureProblem(
            f"table {article.name!r}: in SQLite's triggers `new` and `old` are the row that is"
            " written, so that no table of that name can be captured; give it and its article"
            " another name"
        )


def check_values(connection: Connection, article: NodeArticle) -> None:
    """Rows that were there go to the feed as they are.

    Errors: CaptureProblem where the article cannot hold a value.
    """
    table, version = quoted(article.name), quoted(article.shape.version_column)
    if connection.dialect.name != "sqlite":
        image = image_sql(article, "postgres", "held")
        query = f"select count({image}) from {table} held where held.{version} is null"
        try:
            run_plain(connection, query)
        except DBAPIError as error:
            raise CaptureProblem(f"table {article.name!r}: {error_text(error)}") from error
        return
    for column, said in held_values(article).items():
        query = f"select count(*) from {table} held where held.{version} is null"
        condition = is_refused(article, column, "held")
        count = run_plain(connection, f"{query} and ({condition})").scalar_one()
        if count:
            raise CaptureProblem(f"{said}: other values are in {count} rows")


def _check_columns(connection: Connection, inspector: Inspector, article: NodeArticle) -> None:
    if not inspector.has_table(article.name):
        raise CaptureProblem(f"there is no table {article.name!r}")
    present = declared_types(connection, article.name)
    missing = [name for name in article.kinds if name not in present]
    if missing:
        raise CaptureProblem(f"table {article.name!r} has no column {', '.join(missing)}")
    keys = {
        frozenset(inspector.get_pk_constraint(article.name)["constrained_columns"]),
        *_unique_keys(inspector, article),
    }
    if frozenset(article.shape.primary_key) not in keys:
        key = ", ".join(article.shape.primary_key)
        raise CaptureProblem(f"table {article.name!r}: nothing makes its key ({key}) unique")


def _check_version_column(
    connection: Connection,
    inspector: Inspector,
    publication: NodePublication,
    article: NodeArticle,
) -> None:
    """A column of that name is for versions if it is a text, and nobody but the agent fills it."""
    version = article.shape.version_column
    if version not in declared_types(connection, article.name):
        return
    types = {one["name"]: one["type"] for one in inspector.get_columns(article.name)}
    query = f"select 1 from {quoted(article.name)} where {quoted(version)} is not null limit 1"
    is_filled = run_plain(connection, query).first() is not None
    is_agents = not is_filled or _is_served(connection, publication.name)
    if not (isinstance(types[version], String) and is_agents):
        raise CaptureProblem(
            f"table {article.name!r} has a column {version!r} of its own: name another one with the"
            " article's option version_column"
        )


def _is_served(connection: Connection, publication: str) -> bool:
    """Whether an agent has brought rows of the publication."""
    positions = agent_tables.positions
    if not inspect(connection).has_table(positions.name):
        return False
    query = select(positions.c.publication).where(positions.c.publication == publication)
    return connection.execute(query).first() is not None


def declared_types(connection: Connection, table: str) -> dict[str, str]:
    """The types of a table's columns, as the database writes them: types of any extension, too."""
    query = (
        f"select name, type from pragma_table_xinfo({literal(table)})"
        if connection.dialect.name == "sqlite"
        else "select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute"
        f" where attrelid = {_regclass(table)}"
        " and attnum > 0 and not attisdropped"
    )
    return {row["name"]: row["type"] for row in run_plain(connection, query).mappings()}


def _check_types(connection: Connection, article: NodeArticle) -> None:
    """SQLite has no types, and must not make other values of those that come."""
    declared = declared_types(connection, article.name)
    for name, kind in article.kinds.items():
        better = better_type(kind, declared[name])
        if better is not None:
            raise CaptureProblem(
                f"table {article.name!r}, column {name!r}: SQLite does not keep every {kind.ddl} as"
                f" it is in a column declared {declared[name]!r}; declare it as {better}"
            )


def _check_generated(connection: Connection, article: NodeArticle) -> None:
    """No command could give such a column its value."""
    query = (
        f"select name from pragma_table_xinfo({literal(article.name)}) where hidden in (2, 3)"
        if connection.dialect.name == "sqlite"
        else "select attname from pg_attribute"
        f" where attrelid = {_regclass(article.name)}"
        " and not attisdropped and (attgenerated <> '' or attidentity = 'a')"
    )
    generated = set(run_plain(connection, query).scalars())
    for name in article.kinds:
        if name in generated:
            raise CaptureProblem(
                f"table {article.name!r}, column {name!r}: the database alone gives it its values,"
                " so that no command could; leave it out of the article, or make it a plain column"
                " or one `generated by default as identity`"
            )


_SQLITE_ACTIONS = """
select "table" as parent, on_delete, on_update from pragma_foreign_key_list({table}) order by id
"""
# as pg_constraint writes them: c cascade, n set null, d set default
_POSTGRES_ACTIONS = """
select parent.relname as parent, {words_of_delete} as on_delete, {words_of_update} as on_update
from pg_constraint one
join pg_class parent on parent.oid = one.confrelid
where one.contype = 'f' and one.conrelid = {table}
    and one.confrelid in ({captured})
order by one.conname
"""
_DOES_NOTHING = ("NO ACTION", "RESTRICT")


def _check_references(
    connection: Connection, publication: NodePublication, article: NodeArticle
) -> None:
    """What a reference does to rows when the agent deletes another one is in no queue.

    Commands may do so while people add a row that refers to it, whatever foreign keys the
    publication has.
    """
    captured = {one.lower(): one for one in publication.articles}
    for row in run_plain(connection, _actions(connection, publication, article)).mappings():
        parent = captured.get(row["parent"].lower())
        for event in ("delete", "update"):
            action = row[f"on_{event}"]
            if parent is not None and action not in _DOES_NOTHING:
                raise CaptureProblem(
                    f"table {article.name!r} refers to {parent!r} with `on {event}"
                    f" {action.lower()}`: what that does to rows when a command comes would not be"
                    f" captured, and this database would differ from the others. Make it `on"
                    f" {event} no action` or `restrict`"
                )


def _actions(connection: Connection, publication: NodePublication, article: NodeArticle) -> str:
    if connection.dialect.name == "sqlite":
        return _SQLITE_ACTIONS.format(table=literal(article.name))
    words = {"c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}
    cases = " ".join(f"when '{letter}' then '{word}'" for letter, word in words.items())
    return _POSTGRES_ACTIONS.format(
        table=_regclass(article.name),
        captured=", ".join(map(_regclass, publication.articles)),
        words_of_delete=f"case one.confdeltype {cases} else 'NO ACTION' end",
        words_of_update=f"case one.confupdtype {cases} else 'NO ACTION' end",
    )


def _check_is_alone(connection: Connection, article: NodeArticle) -> None:
    """Triggers are of one table: what is written to those that inherit from it is not captured."""
    table = _regclass(article.name)
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


def _check_is_immediate(connection: Connection, article: NodeArticle) -> None:
    """Rows that trade keys in one statement have the same one meanwhile, and are captured then."""
    key = sorted(article.shape.primary_key)
    query = (
        "select bool_or(one.indimmediate) from pg_index one"
        f" where one.indrelid = {_regclass(article.name)}"
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


def _check_postgres_types(connection: Connection, article: NodeArticle) -> None:
    """PostgreSQL makes other values of some that come, without a word, or takes none of them."""
    query = (
        "with recursive held (name, kind, modifier) as ("
        "select cast(attname as text), atttypid, atttypmod from pg_attribute"
        f" where attrelid = {_regclass(article.name)}"
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


def _check_collations(connection: Connection, article: NodeArticle) -> None:
    """Two keys that the publication tells apart would be one row here, and one would be lost."""
    is_sqlite = connection.dialect.name == "sqlite"
    found = (_sqlite_collations if is_sqlite else _postgres_collations)(connection, article)
    for column, collation in found.items():
        raise CaptureProblem(
            f"table {article.name!r}, column {column!r}: a key must tell every text from every"
            f" other, and {collation} does not"
        )


def _sqlite_collations(connection: Connection, article: NodeArticle) -> dict[str, str]:
    """Key columns that are not compared byte by byte; only a plan says how they are."""
    found = {}
    for name in article.shape.primary_key:
        plan = f"explain select 1 from {quoted(article.name)} where +{quoted(name)} = ''"
        for step in run_plain(connection, plan).mappings():
            if step["opcode"] in ("Eq", "Ne") and step["p4"]:
                # NOCASE-8; in brackets in earlier versions
                found[name] = re.sub(r"^\(|\)$|-\w+$", "", str(step["p4"]))
    return {name: one for name, one in found.items() if one.upper() != "BINARY"}


def _postgres_collations(connection: Connection, article: NodeArticle) -> dict[str, str]:
    """Key columns of type citext, or with a collation that is not deterministic."""
    names = ", ".join(literal(name) for name in article.shape.primary_key)
    query = (
        "select held.attname as name, coalesce(other.collname, 'citext') as said"
        " from pg_attribute held"
        " join pg_type kind on kind.oid = held.atttypid"
        " left join pg_type base on base.oid = kind.typbasetype"
        " left join pg_collation other"
        " on other.oid = held.attcollation and not other.collisdeterministic"
        f" where held.attrelid = {_regclass(article.name)}"
        f" and held.attname in ({names}) and (other.oid is not null"
        " or 'citext' in (kind.typname, base.typname))"
    )
    return {row["name"]: row["said"] for row in run_plain(connection, query).mappings()}


def _unique_keys(inspector: Inspector, article: NodeArticle) -> list[frozenset[str]]:
    """Columns of unique indexes and constraints, without those over expressions or some rows."""
    name = article.name
    found = [list(one["column_names"]) for one in inspector.get_unique_constraints(name)]
    found += [
        [str(column or "") for column in one["column_names"]]
        for one in inspector.get_indexes(name)
        if one["unique"] and not any("where" in option for option in one.get("dialect_options", {}))
    ]
    return [frozenset(columns) for columns in found if all(columns)]


def _check_expressions(connection: Connection, article: NodeArticle) -> None:
    """An `or replace` deletes rows by them, without calling a trigger, and nobody knows which."""
    for name in expression_indexes(connection, article.name):
        raise CaptureProblem(
            f"table {article.name!r} has a unique index {name!r} over an expression: what"
            " `or replace` deletes because of it could not be captured. Make it one over columns,"
            " such as a generated one with that expression or one with a collation, or one that is"
            " not unique"
        )


def _check_triggers(connection: Connection, article: NodeArticle) -> None:
    """SQLite gives a row its version by an update, which must not call the application's triggers.

    What they do would be done twice for each change.
    """
    query = (
        "select name, sql from sqlite_master where type = 'trigger'"
        f" and lower(tbl_name) = lower({literal(article.name)})"
    )
    for row in run_plain(connection, query).mappings():
        if _is_of_every_update(row["sql"]):
            raise CaptureProblem(
                f"table {article.name!r} has a trigger {row['name']!r} of every update, also of the"
                " one that gives a row its version: it would do its work twice. Make it anew with"
                " `update of` and the columns that it is about"
            )


def _check_order_of_triggers(connection: Connection, article: NodeArticle) -> None:
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


def _check_last_word(connection: Connection, article: NodeArticle) -> None:
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


def _trigger_of_each_row(
    connection: Connection, article: NodeArticle, condition: str
) -> str | None:
    """The name of the first such trigger of PostgreSQL, by the columns of `pg_trigger`."""
    query = (
        "select tgname from pg_trigger"
        f" where tgrelid = {_regclass(article.name)}"
        f" and not tgisinternal and tgtype & 1 = 1 and {condition} order by tgname"
    )
    name: str | None = run_plain(connection, query).scalar()
    return name


def _regclass(table: str) -> str:
    """A table as PostgreSQL's catalog refers to it; that there is none is an error."""
    return f"cast({literal(quoted(table))} as regclass)"


def _is_of_every_update(sql: str) -> bool:
    """Whether a trigger names no columns."""
    words = _words(sql)
    # a name that is such a word stands in quotes
    event = next(word for word in words if word in ("insert", "update", "delete"))
    return event == "update" and next(words) != "of"


def _words(sql: str) -> Iterator[str]:
    return (found.group().lower() for found in parts(sql))
