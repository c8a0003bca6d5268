"""Tables of PostgreSQL that capture takes, refuses, or watches in more than one place."""

from __future__ import annotations

import re
import secrets
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from replication_conflicts.capture.install import install, remove
from replication_conflicts.capture.postgres_types import better_postgres_type
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import upload
from replication_conflicts.database.articles import NodePublication, node_publication
from replication_conflicts.database.engine import open_database
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.publication.configuration import project_publications
from replication_conflicts.publication.values import parse_type
from tests.python.documents import text_of
from tests.python.nodes_loop.databases import Databases, publications
from tests.python.nodes_loop.subscriber import Subscriber, insert
from tests.python.nodes_loop.test_install import Feed
from tests.python.repository import REPOSITORY

ITEM: dict[str, Any] = {"item": {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]}}


class Shop:
    """A database with a table `item`."""

    def __init__(self, databases: Databases, replication: str, sql: str, **kinds: str) -> None:
        if databases.kind != "postgres":
            pytest.skip("PostgreSQL only")
        item: dict[str, Any] = {"columns": {"id": "int", **kinds}, "primary_key": ["id"]}
        options = publications({"item": item}, replication=replication)
        self.publication: NodePublication = node_publication("shop", options)
        self.engine = open_database(databases.make("north"))
        self.run(*sql.split(";;"))

    def run(self, *statements: str) -> None:
        with self.engine.begin() as connection:
            for statement in statements:
                run_plain(connection, statement)

    def install(self) -> None:
        install(self.engine, self.publication, "north")

    def versions(self) -> list[str]:
        with self.engine.begin() as connection:
            return list(run_plain(connection, "select row_version from item order by id").scalars())


@pytest.fixture(params=["queued", "merge"])
def replication(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_truncate_of_a_partition_is_refused(databases: Databases, replication: str) -> None:
    shop = Shop(
        databases,
        replication,
        "create table item (id int primary key, name text) partition by range (id)"
        ';;create table "low ones" partition of item for values from (0) to (10)'
        ' partition by range (id);;create table lowest partition of "low ones"'
        " for values from (0) to (5);;create table high partition of item default",
        name="string",
    )
    shop.install()
    shop.run("insert into item values (1, 'bolt'), (11, 'nut')")
    for table in ("item", '"low ones"', "lowest", "high"):
        with pytest.raises(DBAPIError, match="item is captured row by row; use delete"):
            shop.run(f"truncate {table}")
    assert upload(shop.engine, shop.publication, Feed(shop.publication)).changes == 2
    remove(shop.engine, shop.publication)
    shop.run("truncate lowest")


def test_what_postgresql_itself_brings_is_captured(databases: Databases, replication: str) -> None:
    """Its own replication writes as a replica, for which plain triggers do not run."""
    shop = Shop(
        databases,
        replication,
        "create table item (id int primary key, name text) partition by range (id)"
        ";;create table low partition of item for values from (0) to (10)"
        ";;create table high partition of item default",
        name="string",
    )
    shop.install()
    replica = "set local session_replication_role = replica"
    shop.run(replica, "insert into item values (1, 'bolt'), (11, 'nut')")
    assert upload(shop.engine, shop.publication, Feed(shop.publication)).changes == 2
    shop.run(replica, "update item set name = 'cog'", "delete from high")
    assert upload(shop.engine, shop.publication, Feed(shop.publication)).changes > 1
    for table in ("item", "low"):
        with pytest.raises(DBAPIError, match="item is captured row by row; use delete"):
            shop.run(replica, f"truncate {table}")


def test_a_table_that_others_inherit_from_is_refused(
    databases: Databases, replication: str
) -> None:
    shop = Shop(
        databases,
        replication,
        "create table item (id int primary key);;create table tool () inherits (item)",
    )
    with pytest.raises(CaptureProblem, match=r"the table tool inherits from it.*no inherit"):
        shop.install()
    shop.run("alter table tool no inherit item")
    shop.install()


def test_a_table_that_a_crash_would_empty_is_refused(
    databases: Databases, replication: str
) -> None:
    shop = Shop(
        databases,
        replication,
        "create table item (id int primary key) partition by range (id)"
        ";;create unlogged table low partition of item for values from (0) to (10)",
    )
    with pytest.raises(CaptureProblem, match=r"PostgreSQL empties low.*`alter table low set"):
        shop.install()
    shop.run("alter table low set logged")
    shop.install()


def test_a_row_without_a_key_is_refused(databases: Databases, replication: str) -> None:
    """What is unique may be NULL; a run would reject the change, and its transaction with it."""
    shop = Shop(
        databases, replication, "create table item (id int unique, name text)", name="string"
    )
    shop.install()
    for statement in (
        "insert into item values (null, 'bolt')",
        "insert into item values (1, 'nut'), (null, 'bolt')",
    ):
        with pytest.raises(DBAPIError, match=r"item takes no row without a key \(id\)"):
            shop.run(statement)
    shop.run("insert into item values (1, 'nut')")
    with pytest.raises(DBAPIError, match="item takes no row without a key"):
        shop.run("update item set id = null")
    assert upload(shop.engine, shop.publication, Feed(shop.publication)).changes == 1


@pytest.mark.parametrize(
    ("kind", "declared", "altered", "good", "bad"),
    [
        ("int", "integer", "numeric(10,2)", "3.00", "3.25"),
        ("bigint", "bigint", "double precision", "3", "3.25"),
        ("date", "date", "timestamp", "'2026-03-01'", "'2026-03-01 09:30'"),
        ("timestamp", "timestamp", "timestamp with time zone", "'2026-03-01 09:30+02'", None),
        ("float", "real", "double precision", "0.5", "0.1"),
        ("boolean", "boolean", None, "true", None),
    ],
)
def test_a_type_that_has_become_another_loses_nothing(
    databases: Databases,
    replication: str,
    kind: str,
    declared: str,
    altered: str | None,
    good: str,
    bad: str | None,
) -> None:
    """The triggers are made for the type of before, and would round what comes."""
    made = f"create table item (id int primary key, value {declared})"
    shop = Shop(databases, replication, made, value=kind)
    shop.install()
    if altered:
        shop.run(f"alter table item alter column value type {altered}")
    shop.run(f"insert into item values (1, {good}), (2, null)")
    if bad is not None:
        with pytest.raises(DBAPIError, match="cannot be captured"):
            shop.run(f"insert into item values (3, {bad})")
        with pytest.raises(DBAPIError, match="cannot be captured"):
            shop.run(f"update item set value = {bad}")
    assert len(shop.versions()) == 2


def encoded(databases: Databases, encoding: str) -> str:
    """The URL of a database that keeps its texts so."""
    if databases.server is None:
        pytest.skip("PostgreSQL only")
    name = f"encoded_{secrets.token_hex(4)}"
    engine = open_database(databases.server.url())
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        run_plain(
            connection,
            f"create database {name} encoding '{encoding}' template template0"
            " lc_collate 'C' lc_ctype 'C'",
        )
    engine.dispose()
    return databases.server.url(name)


def test_texts_that_are_any_bytes_are_refused(databases: Databases) -> None:
    subscriber = Subscriber(Databases("postgres", lambda _: encoded(databases, "SQL_ASCII")), ITEM)
    with pytest.raises(CaptureProblem, match=r"texts in SQL_ASCII.*encoding 'UTF8'"):
        install(subscriber.engine, subscriber.publication, "north")


def test_a_letter_that_a_database_has_not_is_a_refusal(databases: Databases) -> None:
    latin = Databases("postgres", lambda _: encoded(databases, "LATIN1"))
    subscriber = Subscriber(latin, ITEM, replication="queued")
    subscriber.execute("insert into item (id, name) values (1, 'Käse')")
    feed = Feed(subscriber.publication)
    upload(subscriber.engine, subscriber.publication, feed)
    assert feed.records[0]["row"]["name"] == "Käse"
    subscriber.give(insert(1, 2, "Brühe"), insert(2, 3, "1 €"))
    summary = subscriber.run()
    assert summary.is_stopped
    assert "has no equivalent in encoding" in summary.refused[0].error_text
    assert subscriber.values("select name from item where id = 2") == ["Brühe"]


def test_a_trigger_behind_the_version_is_refused(databases: Databases) -> None:
    """Its change took a version that the feed has already, and was lost."""
    shop = Shop(
        databases,
        "merge",
        "create table item (id int primary key, writes int);;create function count_writes()"
        " returns trigger language plpgsql as"
        " $$begin new.writes := old.writes + 1; return new; end$$;;"
        'create trigger "änderung" before update on item for each row'
        " execute function count_writes()",
        writes="int",
    )
    with pytest.raises(CaptureProblem, match="trigger 'änderung' that PostgreSQL runs behind"):
        shop.install()
    shop.run('alter trigger "änderung" on item rename to "Änderung"')
    with pytest.raises(CaptureProblem, match="trigger 'Änderung'"):
        shop.install()
    shop.run('alter trigger "Änderung" on item rename to "Change"')
    shop.install()


@pytest.mark.parametrize(
    ("kind", "declared"),
    [
        ("int", "numeric(5,0)"),
        ("decimal(10,2)", "numeric"),
        ("decimal(10,2)", "numeric(12,4)"),
        ("timestamp", "timestamp with time zone"),
        ("timestamp_ntz", "timestamp(6) without time zone"),
        ("string", "character varying(10)"),
        ("string", "public.citext"),
        ("char(2)", "character varying(2)"),
    ],
)
def test_a_column_that_keeps_all_values_is_taken(kind: str, declared: str) -> None:
    assert better_postgres_type(parse_type(kind), declared) is None


@pytest.mark.parametrize(
    ("kind", "declared", "better"),
    [
        ("string", "character(10)", "text"),
        ("varchar(10)", "character(10)", "text"),
        ("char(10)", "character(10)", "text"),
        ("string", "name", "text"),
        ("int", "numeric", "integer"),
        ("bigint", "double precision", "bigint"),
        ("decimal(10,2)", "numeric(10,1)", "numeric(10,2)"),
        ("decimal(10,2)", "real", "numeric(10,2)"),
        ("float", "double precision", "real"),
        ("double", "real", "double precision"),
        ("date", "timestamp", "date"),
        ("timestamp", "date", "timestamp"),
        ("timestamp", "timestamptz(3)", "timestamp"),
        ("string", "uuid", "text"),
        ("string", "text[]", "text"),
        ("boolean", "integer", "boolean"),
        ("string", "whole", "text"),
    ],
)
def test_a_column_that_makes_other_values_is_refused(
    databases: Databases, kind: str, declared: str, better: str
) -> None:
    domains = "create domain half as int;;create domain whole as half"
    table = f"create table item (id int primary key, value {declared})"
    shop = Shop(databases, "queued", f"{domains};;{table}", value=kind)
    with pytest.raises(CaptureProblem) as caught:
        shop.install()
    assert "column 'value'" in str(caught.value)
    assert str(caught.value).endswith(f"make it {better}")


def test_digits_that_an_article_has_not_are_refused(databases: Databases, replication: str) -> None:
    table = "create table item (id int primary key, size numeric)"
    shop = Shop(databases, replication, table, size="decimal(10,2)")
    shop.install()
    with pytest.raises(DBAPIError, match=r"1\.239 cannot be captured"):
        shop.run("insert into item values (1, 1.239)")
    shop.run("insert into item values (1, 1.2300)")


def test_blanks_at_the_end_of_a_key_are_refused(databases: Databases, replication: str) -> None:
    """Commands name a row by what the feed has, which is without them."""
    table = "create table item (id varchar(3) primary key, code text)"
    shop = Shop(databases, replication, table, id="char(3)", code="char(3)")
    shop.install()
    with pytest.raises(DBAPIError, match="a  cannot be captured"):
        shop.run("insert into item values ('a ', 'b')")
    shop.run("insert into item values (' a', 'b ')")


def test_a_deferrable_key_is_refused(databases: Databases, replication: str) -> None:
    """Rows that traded keys in one statement were lost under merge replication."""
    table = "create table item (id int constraint by_id primary key deferrable)"
    shop = Shop(databases, replication, table)
    with pytest.raises(CaptureProblem, match=r"its key \(id\) is deferrable.*not deferrable"):
        shop.install()
    shop.run("create unique index also_by_id on item (id) include (id)")
    shop.install()


def test_a_role_that_does_not_see_all_rows_is_refused(
    databases: Databases, replication: str
) -> None:
    shop = Shop(databases, replication, "create table item (id int primary key)")
    shop.install()
    database = shop.engine.url.database
    shop.run(
        f"create role {database} login password 'x'",
        f"grant all on all tables in schema public to {database}",
        "alter table item enable row level security",
    )
    upload(shop.engine, shop.publication, Feed(shop.publication))
    clerk = open_database(
        shop.engine.url.set(username=database, password="x").render_as_string(hide_password=False)
    )
    message = f"row level security may hide rows of table 'item' from '{database}'"
    with pytest.raises(CaptureProblem, match=message):
        upload(clerk, shop.publication, Feed(shop.publication))
    with pytest.raises(CaptureProblem, match=message):
        capture_state(clerk, "north", Tables(shop.publication, "postgres"))
    remove(shop.engine, shop.publication)
    with pytest.raises(CaptureProblem, match=message):
        install(clerk, shop.publication, "north")


def test_a_temporary_table_hides_nothing(databases: Databases, replication: str) -> None:
    """An import makes one of the same name, and what it then writes was not captured."""
    table = "create table item (id int primary key, name text)"
    shop = Shop(databases, replication, table, name="string")
    shop.install()
    shop.run("insert into item values (1, 'bolt')")
    feed = Feed(shop.publication)
    upload(shop.engine, shop.publication, feed)
    shop.run(
        "create temporary table item (id int, name text, row_version text)",
        "create temporary table replication_queue (like public.replication_queue including all)",
        "update public.item set name = 'nut'",
        "insert into public.item values (2, 'cog')",
        "drop table pg_temp.item",
        "drop table pg_temp.replication_queue",
    )
    upload(shop.engine, shop.publication, feed)
    assert [(one["operation"], one["row"]["name"]) for one in feed.records[1:]] == [
        ("update", "nut"),
        ("insert", "cog"),
    ]


def test_names_mean_what_they_mean_to_who_installs(databases: Databases, replication: str) -> None:
    shop = Shop(databases, replication, 'create schema "own, one"')
    url = shop.engine.url
    shop.run(f'alter database {url.database} set search_path = "own, one"')
    shop.engine.dispose()
    shop.run("create table item (id int primary key)")
    shop.install()
    public = url.update_query_dict({"options": "-csearch_path=public"})
    clerk = open_database(public.render_as_string(hide_password=False))
    with clerk.begin() as connection:
        run_plain(connection, 'insert into "own, one".item values (1)')
    assert upload(shop.engine, shop.publication, Feed(shop.publication)).changes == 1


def test_the_tables_of_the_example_can_be_captured(databases: Databases) -> None:
    if databases.kind != "postgres":
        pytest.skip("PostgreSQL only")
    (tables,) = re.findall(r'^psql \S+ -c "\n(.*?)"$', text_of("docs/nodes.md"), re.DOTALL | re.M)
    publication = node_publication("inventory", project_publications(REPOSITORY))
    engine = open_database(databases.make("center"))
    with engine.begin() as connection:
        run_plain(connection, tables)
    assert install(engine, publication, "center").articles == len(publication.articles)


@pytest.mark.parametrize(
    ("kind", "declared", "values"),
    [
        ("string", "text collate ci", ("'bob'", "'Bob'")),
        ("varchar(9)", "varchar(9) collate ci", ("'bob'", "'BOB'")),
        ("double", "double precision", ("0.0", "'-0.0'")),
        ("float", "real", ("0.0", "'-0.0'")),
    ],
)
def test_values_that_compare_alike_are_told_apart(
    databases: Databases, replication: str, kind: str, declared: str, values: tuple[str, str]
) -> None:
    collation = "provider=icu, locale='und-u-ks-level2', deterministic=false"
    shop = Shop(
        databases,
        replication,
        f"create collation ci ({collation})"
        f";;create table item (id int primary key, value {declared})",
        value=kind,
    )
    shop.install()
    feed = Feed(shop.publication)
    shop.run(f"insert into item values (1, {values[0]})")
    upload(shop.engine, shop.publication, feed)
    shop.run(f"update item set value = {values[1]}")
    assert upload(shop.engine, shop.publication, feed).changes == 1
    assert feed.records[0]["row"]["value"] != feed.records[1]["row"]["value"]
    assert feed.records[1]["operation"] == "update"


def test_a_row_that_stays_what_it_is_keeps_its_version(
    databases: Databases, replication: str
) -> None:
    """An upsert of whole rows writes the version that the new row would have had."""
    shop = Shop(
        databases, replication, "create table item (id int primary key, name text)", name="string"
    )
    shop.install()
    shop.run("insert into item values (1, 'bolt')")
    upload(shop.engine, shop.publication, Feed(shop.publication))
    (before,) = shop.versions()
    shop.run(
        "insert into item values (1, 'bolt') on conflict (id)"
        " do update set name = excluded.name, row_version = excluded.row_version"
    )
    if replication == "merge":
        assert shop.versions() == [before]
        assert upload(shop.engine, shop.publication, Feed(shop.publication)).changes == 0
    shop.run("update item set name = 'nut'")
    changes = Feed(shop.publication)
    upload(shop.engine, shop.publication, changes)
    assert changes.records[-1]["row"]["name"] == "nut"


def test_a_part_that_is_not_captured_is_noticed(databases: Databases, replication: str) -> None:
    shop = Shop(
        databases,
        replication,
        "create table item (id int primary key) partition by range (id)"
        ";;create table low partition of item for values from (0) to (10)"
        ";;create table high partition of item default",
    )
    shop.install()
    shop.run("alter table low disable trigger all", "insert into item values (1), (11)")
    with pytest.raises(CaptureProblem, match="is not captured any more"):
        upload(shop.engine, shop.publication, Feed(shop.publication))


def test_a_policy_that_hides_rows_stops_who_writes(databases: Databases) -> None:
    """Capture would see no row; when somebody lifts the policy, the change would be in no queue."""
    table = "create table item (id int primary key, name text)"
    shop = Shop(databases, "merge", table, name="string")
    owner = shop.engine.url.database
    shop.run(
        f"create role {owner} login password 'x'",
        f"grant all on schema public to {owner}",
        f"alter table item owner to {owner}",
    )
    shop.engine = open_database(
        shop.engine.url.set(username=owner, password="x").render_as_string(hide_password=False)
    )
    shop.install()
    shop.run(
        "insert into item values (1, 'bolt')",
        "alter table item enable row level security, force row level security",
        "create policy everything on item using (true)",
    )
    with pytest.raises(DBAPIError, match="row-level security"):
        shop.run("update item set name = 'nut'")
    shop.run("alter table item no force row level security", "update item set name = 'nut'")
    feed = Feed(shop.publication)
    upload(shop.engine, shop.publication, feed)
    assert feed.records[-1]["row"]["name"] == "nut"


def test_a_rule_is_refused(databases: Databases, replication: str) -> None:
    """It makes an update of the agent's delete, which then counts as done."""
    shop = Shop(
        databases,
        replication,
        "create table item (id int primary key, is_gone boolean)"
        ";;create rule keep as on delete to item do instead"
        " update item set is_gone = true where id = old.id",
        is_gone="boolean",
    )
    with pytest.raises(CaptureProblem, match='the rule "keep" makes other statements'):
        shop.install()
    shop.run("drop rule keep on item")
    shop.install()
