"""Subscriptions, events and decisions that are wrong: the run stops before it writes anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pytest

from replication_conflicts.lakehouse import tables
from replication_conflicts.scenarios.project import INPUTS, package_folder
from tests.python.wider_types import OTHER, WIDER

from .conftest import ScratchProject

PROJECT = """
name: checked_inputs
version: "1.0"
config-version: 2
profile: replication_conflicts
flags: {require_ref_searches_node_package_before_root: true}
vars:
  publications:
    stock:
      replication: queued
      publisher: HQ
      articles:
        item:
          columns: {item_id: int, name: string, price: int}
          primary_key: [item_id]
          initial_snapshot: true
"""
SOURCES = """
sources:
  - {name: feeds, schema: "{{ target.schema }}_feeds", tables: [{name: stock__item}]}
  - {name: initial, schema: "{{ target.schema }}_initial", tables: [{name: stock__item}]}
  - {name: held, schema: "{{ target.schema }}", tables: [{name: stock__item__versions}]}
  - name: inputs
    schema: "{{ target.schema }}_inputs"
    tables: [{name: subscriptions}, {name: subscription_events}, {name: conflict_decisions}]
"""
FEED = {
    "change_id": "string",
    "queue_position": "bigint",
    "node": "string",
    "transaction_id": "string",
    "transaction_change_count": "int",
    "operation": "string",
    "changed_at": "timestamp",
    "old_version": "string",
    "new_version": "string",
    "item_id": "int",
    "name": "string",
    "price": "int",
}
INITIAL = {"item_id": "int", "name": "string", "price": "int", "row_version": "string"}


@pytest.fixture(scope="module")
def consumer(
    scratch_project: Callable[[Mapping[str, str]], ScratchProject],
) -> ScratchProject:
    """A project that installs this one, whose inputs are views of tables."""
    models = {
        "stg_stock__item": "staged_changes",
        "stock__item__versions": "row_versions",
        "stock__item": "published_rows",
        "conflict_stock_item": "conflict_table",
    }
    project = scratch_project(
        {
            "dbt_project.yml": PROJECT,
            "packages.yml": json.dumps({"packages": [{"local": str(package_folder())}]}),
            "models/sources.yml": SOURCES,
            **{
                f"models/{model}.sql": f"{{{{ replication_conflicts.{macro}('stock', 'item') }}}}\n"
                for model, macro in models.items()
            },
            **{
                f"models/inputs/{name}.sql": f"select * from {{{{ source('inputs', '{name}') }}}}\n"
                for name in INPUTS
            },
        }
    )
    spark = project.build.spark
    for suffix in ("", "_feeds", "_initial", "_inputs"):
        spark.sql(f"create schema {project.schema}{suffix}")
    tables.create_table(spark, f"{project.schema}_feeds.stock__item", FEED)
    tables.create_table(spark, f"{project.schema}_initial.stock__item", INITIAL)
    for name, columns in INPUTS.items():
        tables.create_table(spark, f"{project.schema}_inputs.{name}", columns)
    installed = project.build.run("deps")
    assert installed.success, installed.errors
    views = project.build.run("run", "--select", "path:models/inputs")
    assert views.success, views.errors
    return project


def fill(project: ScratchProject, **values: str) -> None:
    """Replace the rows of all inputs; `values` as SQL, by the name of the input."""
    spark = project.build.spark
    for name in INPUTS:
        spark.sql(f"delete from {project.schema}_inputs.{name}")
    columns = {
        "subscriptions": "publication, subscriber",
        "subscription_events": "publication, subscriber, event",
        "conflict_decisions": "conflict_id, decision, edited",
    }
    for name, rows in values.items():
        table = f"{project.schema}_inputs.{name} ({columns[name]})"
        spark.sql(f"insert into {table} values {rows}")


def errors(project: ScratchProject, *options: str) -> tuple[str, ...]:
    """What the first model of a run says."""
    return project.build.run("compile", "--select", "arrived_changes", *options).errors


def decided_anew(project: ScratchProject, *options: str) -> tuple[str, ...]:
    """What it says in a full refresh that makes the decision log anew."""
    models = ("arrived_changes", "change_outcomes")
    return project.build.run("compile", "--full-refresh", "--select", *models, *options).errors


@pytest.mark.spark
def test_initial_rows_need_keys_of_their_own_and_versions(consumer: ScratchProject) -> None:
    fill(consumer, subscriptions="('stock', 'south')")
    spark, initial = consumer.build.spark, f"{consumer.schema}_initial.stock__item"
    spark.sql(f"insert into {initial} values (1, 'bolt', 5, 'v1'), (2, 'nut', 3, 'v2')")
    try:
        assert not errors(consumer)
        spark.sql(
            f"insert into {initial} values (2, 'nut', 4, 'v3'), (2, 'nut', 5, 'v4'),"
            " (null, 'gear', 1, 'v5'), (3, 'screw', 1, null)"
        )
        (error,) = errors(consumer)
        assert "publication 'stock', article 'item': the initial rows in" in error
        assert "1 row without a key" in error
        assert "2 rows whose key another row has" in error
        assert "1 row without a row_version" in error
    finally:
        spark.sql(f"delete from {initial}")


@pytest.mark.spark
def test_initial_rows_that_are_not_there_are_named(consumer: ScratchProject) -> None:
    fill(consumer, subscriptions="('stock', 'south')")
    spark, initial = consumer.build.spark, f"{consumer.schema}_initial.stock__item"
    spark.sql(f"alter table {initial} rename to {initial}_elsewhere")
    try:
        (error,) = consumer.build.run("run", "--select", "arrived_changes").errors
        said = "publication 'stock', article 'item': its initial rows "
        assert f"{said}{initial} do not exist. Load them" in error.replace("`", "")
        # nothing need be there to look at models
        assert not errors(consumer)
    finally:
        spark.sql(f"alter table {initial}_elsewhere rename to {initial}")


@pytest.mark.spark
def test_every_problem_is_named(consumer: ScratchProject) -> None:
    fill(
        consumer,
        subscriptions="('stock', null), ('shop', 'north'), ('stock', 'HQ'), ('stock', 'HQ*'), "
        "('stock', 'south'), ('stock', 'south')",
        subscription_events="('stock', 'south', 'restarted'), ('stock', 'west', 'reinitialized'), "
        "('shop', 'north', 'reinitialized')",
        conflict_decisions="('c1', 'submit_both', null)",
    )
    (error,) = errors(consumer)
    for expected in (
        ("publication 'stock'", "a subscription without subscriber"),
        ("subscription 'north'", "no such publication", "must be one of: stock"),
        ("publication 'stock'", "subscription 'HQ'", "name of the publisher"),
        ("publication 'stock'", "subscription 'HQ*'", "the name under which", "another name"),
        ("publication 'stock'", "subscription 'south'", "2 rows"),
        ("subscriber 'south'", "'restarted'", "must be one of: reinitialized"),
        ("publication 'stock'", "subscriber 'west'", "no such subscription"),
        ("publication 'shop'", "subscriber 'north'", "no such publication"),
        ("conflict_decisions", "'submit_both'", "must be one of: submit_winner"),
    ):
        assert any(all(text in line for text in expected) for line in error.splitlines()), error


@contextmanager
def inputs_as(consumer: ScratchProject, **queries: str) -> Iterator[None]:
    """Inputs that come as queries, by their names."""
    spark = consumer.build.spark
    try:
        for name, query in queries.items():
            spark.sql(f"alter view {consumer.schema}.{name} as {query}")
        yield
    finally:
        for name in queries:
            table = f"{consumer.schema}_inputs.{name}"
            spark.sql(f"alter view {consumer.schema}.{name} as select * from {table}")


SUBSCRIPTION = "'stock' as publication, 'south' as subscriber, 'server' as type"
DECISION = "'c1' as conflict_id, 'remove' as decision, '' as edited, '' as author, '' as reason"
NUMBERS_AS_TEXT = """
    'stock' as publication, subscriber, 'server' as type, priority, republisher, '' as below
    from values
        ('good', '75.5', 'true'), ('empty', '', ''), ('null', null, null), ('none', 'None', 'None'),
        ('word', 'high', 'true'), ('wide', '1000', 'true'), ('flag', '75.5', 'yess'),
        ('both', 'high', 'maybe'), ('both', '75.5', 'true')
        as given(subscriber, priority, republisher)
"""
PLACES_AS_TEXT = """
    conflict_id, 'remove' as decision, '' as edited, '' as author, '' as reason, queue_position
    from values ('c1', '7'), ('c2', 'last'), ('c3', '')
        as given(conflict_id, queue_position)
"""
TIMES_AS_TEXT = """
    'stock' as publication, 'good' as subscriber, 'reinitialized' as event,
    snapshot_position, queue_position, at
    from values
        ('7', '12', '2026-01-01 00:00:00'), ('8', '', 'None'), ('9', '12O', '2026-01-01 00:00:00')
        as given(snapshot_position, queue_position, at)
"""


@pytest.mark.spark
def test_numbers_that_come_as_text(consumer: ScratchProject) -> None:
    """A seed has them so, because it would turn what is none into NULL in silence."""
    fill(consumer)
    with inputs_as(
        consumer,
        subscriptions=f"select {NUMBERS_AS_TEXT}",
        subscription_events=f"select {TIMES_AS_TEXT}",
        conflict_decisions=f"select {PLACES_AS_TEXT}",
    ):
        (error,) = errors(consumer)
    for expected in (
        "subscription 'word': it has the priority 'high', must be decimal(5,2)",
        "subscription 'wide': it has the priority '1000', must be decimal(5,2)",
        "subscription 'flag': it has the republisher 'yess', must be boolean",
        "subscription 'both': it has the priority 'high', must be decimal(5,2), and the republisher"
        " 'maybe', must be boolean",
        "subscription 'both': it has 2 rows",
        "subscriber 'good': an event has the queue_position '12O', must be bigint",
        "conflict 'c2': it has the queue_position 'last', must be bigint",
    ):
        assert expected in error
    for good in ("good", "empty", "null", "none"):
        assert f"subscription '{good}'" not in error


@pytest.mark.spark
def test_inputs_without_one_of_their_columns(consumer: ScratchProject) -> None:
    fill(consumer)
    with inputs_as(
        consumer,
        subscriptions=f"select {SUBSCRIPTION}, 75 as priority, false as republisher",
        conflict_decisions=f"select {DECISION}",
    ):
        said = "\n".join(errors(consumer))
    assert "subscriptions: the column 'below' (string) is missing" in said
    assert "conflict_decisions: the column 'queue_position' (bigint) is missing" in said


@contextmanager
def published(consumer: ScratchProject) -> Iterator[None]:
    """As if a run had published the article as it is now: the view with its properties is there."""
    spark = consumer.build.spark
    view = f"{consumer.schema}.stock__item"
    manifest = json.loads((consumer.folder / "target" / "manifest.json").read_text())
    config = manifest["nodes"]["model.checked_inputs.stock__item"]["config"]
    properties = ", ".join(f"'{name}' = '{text}'" for name, text in config["tblproperties"].items())
    spark.sql(f"create view {view} tblproperties ({properties}) as select 1 as item_id")
    try:
        yield
    finally:
        (consumer.folder / "dbt_project.yml").write_text(PROJECT)
        spark.sql(f"drop view {view}")


@pytest.mark.spark
@pytest.mark.parametrize(
    "changes",
    [
        # before, now, what is said about it; dbt reads the whole project for each of the two
        (
            (", price: int}", "}", "it had the column 'price' (int), and has it no longer"),
            ("publisher: HQ", "publisher: main", "the publisher was 'HQ', is 'main'"),
            (
                "initial_snapshot: true",
                "initial_snapshot: false",
                "initial_snapshot was true, is false: initial rows are read by the first run alone",
            ),
        ),
        (
            ("price: int}", "price: string}", "the column 'price' was int, is string"),
            ("[item_id]", "[name]", "its primary key was (item_id), is (name)"),
            ("replication: queued", "replication: merge", "replication was queued, is merge"),
        ),
    ],
)
def test_an_article_that_has_become_another_one(
    changes: tuple[tuple[str, str, str], ...], consumer: ScratchProject
) -> None:
    """Without a column decided changes in the feed would be rejected as other ones."""
    configuration = PROJECT
    for before, now, _ in changes:
        assert before in configuration
        configuration = configuration.replace(before, now)
    fill(consumer, subscriptions="('stock', 'south')")
    assert not errors(consumer)
    with published(consumer):
        assert not errors(consumer)
        (consumer.folder / "dbt_project.yml").write_text(configuration)
        alone = consumer.build.run("compile", "--select", "stock__item").errors
        # the decisions stay as they were: a full refresh of the rows alone is none
        again = consumer.build.run("compile", "--select", "stock__item", "--full-refresh").errors
        for error in (*errors(consumer), *alone, *again):
            assert "publication 'stock', article 'item': " in error
            assert "dbt build --full-refresh" in error
            for _, _, expected in changes:
                assert expected in error
        assert alone
        assert again
        assert not any("decided as it was" in one for one in decided_anew(consumer))


@pytest.mark.spark
def test_words_that_spark_hides_in_lists(consumer: ScratchProject) -> None:
    """Names and texts with `url`, `token` or `password` in them, and what would end a property."""
    fill(consumer, subscriptions="('stock', 'south')")
    before = PROJECT.replace("price: int}", 'image_url: "decimal(4,2)"}')
    before = before.replace("publisher: HQ", "publisher: 'Passwords, [Token]'")
    file = consumer.folder / "dbt_project.yml"
    try:
        file.write_text(before)
        assert not errors(consumer)
        with published(consumer):
            assert not errors(consumer)
            file.write_text(PROJECT)
            (error,) = errors(consumer)
    finally:
        file.write_text(PROJECT)
    assert "it had the column 'image_url' (decimal(4,2)), and has it no longer" in error
    assert "the publisher was 'Passwords, [Token]', is 'HQ'" in error


@pytest.mark.spark
def test_models_that_are_not_refreshed_with_the_others(consumer: ScratchProject) -> None:
    """One table that a full refresh leaves alone would get everything twice."""
    fill(consumer, subscriptions="('stock', 'south')")
    file = consumer.folder / "dbt_project.yml"

    def said(is_refreshed: str, owner: str, *options: str) -> str:
        models = f"{owner}: {{+full_refresh: {is_refreshed}}}"
        file.write_text(f"{PROJECT}\nmodels: {{{models}}}\n")
        try:
            return "\n".join(errors(consumer, *options))
        finally:
            file.write_text(PROJECT)

    assert not said("false", "replication_conflicts")
    package = said("false", "replication_conflicts", "--full-refresh")
    assert "model 'change_outcomes' has full_refresh: false" in package
    assert "intervention_log" not in package
    own = said("false", "checked_inputs", "--full-refresh")
    assert "model 'stock__item__versions' has full_refresh: false" in own
    always = said("true", "replication_conflicts")
    assert "model 'change_outcomes' has full_refresh: true" in always


@pytest.mark.spark
def test_types_that_become_wider(consumer: ScratchProject) -> None:
    """They hold every value, with the same text; other types stop the run, each named."""
    pairs = [*WIDER, *OTHER]
    fill(consumer, subscriptions="('stock', 'south')")
    before, now = (
        PROJECT.replace(
            "price: int}",
            ", ".join(f'c{number}: "{pair[side]}"' for number, pair in enumerate(pairs)) + "}",
        )
        for side in (0, 1)
    )
    file = consumer.folder / "dbt_project.yml"
    try:
        file.write_text(before)
        assert not errors(consumer)
        with published(consumer):
            file.write_text(now)
            (error,) = errors(consumer)
    finally:
        file.write_text(PROJECT)
    named = [number for number in range(len(pairs)) if f"the column 'c{number}' was" in error]
    assert [pairs[number] for number in named] == OTHER


@pytest.mark.spark
def test_expressions_that_are_no_conditions(consumer: ScratchProject) -> None:
    """Every one is named before the first change is judged by it."""
    fill(consumer, subscriptions="('stock', 'south')")

    def said(check: dict[str, str], row_filter: dict[str, str]) -> str:
        item = {
            "columns": {"item_id": "int", "name": "string", "price": "int", "is_sold": "boolean"},
            "primary_key": ["item_id"],
            "check": check,
            "row_filter": row_filter,
        }
        stock = {"replication": "queued", "publisher": "HQ", "articles": {"item": item}}
        return "\n".join(errors(consumer, "--vars", json.dumps({"publications": {"stock": stock}})))

    check = {
        "priced": "prise > 0",
        "named": "name <> ''",
        "open": "name = 'A",
        "sold": "item_id in (select 1)",
    }
    error = said(check, {"south": "item_id + 1"})
    subject = "publication 'stock', article 'item', option"
    for expected in (
        (f"{subject} 'check': 'priced' is 'prise > 0'", "`prise`", "`price`"),
        (f"{subject} 'check': 'open' is 'name = 'A'", "Syntax error"),
        (f"{subject} 'check': 'sold' is 'item_id in (select 1)'", "without subqueries"),
        (f"{subject} 'row_filter': 'south' is 'item_id + 1'", "not a boolean"),
    ):
        assert any(all(text in line for text in expected) for line in error.splitlines()), error
    assert "'named'" not in error
    assert not said({"named": "name <> ''"}, {"south": "price in (1, 2)"})
    # in parentheses a name alone could be a list of columns
    assert not said({"sold": "is_sold"}, {"south": "true"})


@pytest.mark.spark
@pytest.mark.parametrize("name", ["conflict_stock_item", "stock__item"])
def test_an_article_without_one_of_its_models(name: str, consumer: ScratchProject) -> None:
    fill(consumer, subscriptions="('stock', 'south')")
    model = consumer.folder / "models" / f"{name}.sql"
    usual = model.read_text(encoding="utf-8")
    try:
        model.unlink()
        (error,) = errors(consumer)
    finally:
        model.write_text(usual, encoding="utf-8")
    assert f"publication 'stock', article 'item': there is no model '{name}'" in error
    assert usual.strip() in error
    assert errors(consumer) == ()


@pytest.mark.spark
def test_a_row_filter_without_subscription_is_a_warning(consumer: ScratchProject) -> None:
    fill(consumer, subscriptions="('stock', 'south'), ('stock', 'north')")
    item = {
        "columns": {"item_id": "int", "name": "string", "price": "int"},
        "primary_key": ["item_id"],
        "row_filter": {"nort": "item_id > 0", "south": "item_id < 9"},
    }
    stock = {"replication": "queued", "publisher": "HQ", "articles": {"item": item}}
    variables = ("--vars", json.dumps({"publications": {"stock": stock}}))
    compiled = consumer.build.run("compile", "--select", "arrived_changes", *variables)
    assert compiled.success, compiled.errors
    (text,) = compiled.warnings
    for part in (
        "publication 'stock', article 'item', option 'row_filter'",
        "no subscription 'nort', only: north, south",
        "gets every row",
    ):
        assert part in text
    assert "no subscription 'south'" not in text


@pytest.mark.spark
def test_a_session_with_another_time_zone(consumer: ScratchProject) -> None:
    fill(consumer, subscriptions="('stock', 'south')")
    profile = consumer.folder / "profiles" / "profiles.yml"
    usual = profile.read_text(encoding="utf-8")
    assert "timeZone: UTC" in usual
    other = usual.replace("timeZone: UTC", "timeZone: Europe/Berlin")
    try:
        profile.write_text(other, encoding="utf-8")
        (error,) = errors(consumer)
    finally:
        profile.write_text(usual, encoding="utf-8")
    assert "server_side_parameters" in error
    assert "spark.sql.session.timeZone is 'Europe/Berlin': it must be UTC" in error
    assert errors(consumer) == ()


@pytest.mark.spark
@pytest.mark.parametrize("name", INPUTS)
def test_an_input_that_nobody_can_look_into(name: str, consumer: ScratchProject) -> None:
    model = consumer.folder / "models" / "inputs" / f"{name}.sql"
    usual = model.read_text(encoding="utf-8")
    try:
        model.write_text("{{ config(materialized='ephemeral') }}\n" + usual, encoding="utf-8")
        (error,) = errors(consumer)
    finally:
        model.write_text(usual, encoding="utf-8")
    assert f"the model '{name}' is ephemeral" in error
    assert "must be a table, a view or a seed" in error
    assert errors(consumer) == ()


@pytest.mark.spark
def test_a_ledger_whose_news_nobody_can_look_into(consumer: ScratchProject) -> None:
    fill(consumer, subscriptions="('stock', 'south')")
    model = consumer.folder / "models" / "inputs" / "conflict_decisions.sql"
    usual = model.read_text(encoding="utf-8")
    try:
        model.write_text("{{ config(materialized='ephemeral') }}\n" + usual, encoding="utf-8")
        (error, *_) = consumer.build.run("run", "--select", "intervention_log").errors
    finally:
        model.write_text(usual, encoding="utf-8")
    assert "the model 'conflict_decisions' is ephemeral" in error


@pytest.mark.spark
def test_a_decision_waits_for_the_first_run(consumer: ScratchProject) -> None:
    fill(consumer, subscriptions="('stock', 'south')", conflict_decisions="('c1', 'remove', null)")
    assert errors(consumer) == ()
    taken = consumer.build.run("run", "--select", "+intervention_log")
    assert taken.success, taken.errors
    kept = consumer.build.spark.table(f"{consumer.schema}.intervention_log")
    assert kept.count() == 0


@pytest.mark.spark
def test_decisions_that_cannot_be_taken(consumer: ScratchProject) -> None:
    """What is looked at is the log of an earlier run."""
    log = f"{consumer.schema}.change_outcomes"
    spark = consumer.build.spark
    spark.sql(
        f"create table {log} (publication string, article string, conflict_id string) using delta"
    )
    spark.sql(
        f"insert into {log} values ('stock', 'item', 'merge'), ('stock', 'item', 'key'),"
        " ('stock', 'item', 'column'), ('stock', 'item', 'value'), ('stock', 'item', 'part'),"
        " ('stock', 'item', 'word')"
    )
    fill(
        consumer,
        subscriptions="('stock', 'south')",
        conflict_decisions="('nowhere', 'remove', null), ('word', 'submit_losr', null),"
        " (null, 'remove', null),"
        " ('merge', 'remove', map('name', 'x')), ('key', 'submit_loser', map('item_id', '2')),"
        " ('column', 'submit_winner', map('colour', 'red')),"
        " ('value', 'submit_loser', map('price', 'two')),"
        " ('part', 'submit_loser', map('price', '1.5'))",
    )
    (error,) = errors(consumer)
    for expected in (
        ("conflict 'nowhere'", "no such conflict", "conflicts_info"),
        ("conflict 'word'", "the decision is 'submit_losr'", "must be one of: submit_winner"),
        ("a row without conflict_id", "no such conflict"),
        ("conflict 'merge'", "no edited columns"),
        ("conflict 'key'", "the key (item_id) cannot be edited"),
        ("conflict 'column'", "no column 'colour'", "item_id, name, price"),
        ("conflict 'value'", "column 'price' cannot hold 'two'", "it is int"),
        ("conflict 'part'", "column 'price' cannot hold '1.5'", "it is int"),
    ):
        assert any(all(text in line for text in expected) for line in error.splitlines()), error
    fill(
        consumer,
        subscriptions="('stock', 'south')",
        conflict_decisions="('key', 'remove', null), ('merge', 'submit_loser', map('name', 'x'))",
    )
    assert errors(consumer) == ()
    spark.sql(f"drop table {log}")


@pytest.mark.spark
def test_decided_changes_that_are_in_the_feeds_no_more(consumer: ScratchProject) -> None:
    """A full refresh would forget them; another run, which knows what they have done, does not."""
    log, feed = f"{consumer.schema}.change_outcomes", f"{consumer.schema}_feeds.stock__item"
    spark = consumer.build.spark
    fill(consumer, subscriptions="('stock', 'south')")
    staged = consumer.build.run("run", "--select", "stg_stock__item")
    assert staged.success, staged.errors
    spark.sql(
        f"create table {log} using delta as select 'stock' as publication, * from values"
        " ('item', 'c1', 7L, 'applied'), ('item', 'c2', 7L, 'applied'),"
        " ('item', 'c3', 7L, 'applied'), ('item', 'row of a record', null, 'record'),"
        " ('item', 'of a person', 7L, 'submit_loser'), ('item', 'no', 7L, 'refused_command'),"
        " ('gone', 'of another article', 7L, 'applied')"
        " as t(article, change_id, content_hash, rule)"
    )
    try:
        spark.sql(f"insert into {feed} (change_id) values ('c3'), ('c1'), ('c1'), ('c4')")
        assert errors(consumer) == ()
        (error,) = decided_anew(consumer)
        assert "publication 'stock': 1 of 3 changes" in error
        assert "'c2' among them" in error
        (error,) = decided_anew(consumer, "--vars", "{forget_removed_changes: 'false'}")
        assert "publication 'stock': 1 of 3 changes" in error
        allowed = "--vars", "{forget_removed_changes: true}"
        assert decided_anew(consumer, *allowed) == ()
        spark.sql(f"insert into {feed} (change_id) values ('c2')")
        assert decided_anew(consumer) == ()
    finally:
        spark.sql(f"drop table {log}")
        spark.sql(f"delete from {feed}")


@pytest.mark.spark
def test_an_event_outlives_its_subscription(consumer: ScratchProject) -> None:
    """An event that a run has taken is looked at no more; one that it has not is a mistake."""
    event = "('stock', 'south', 'reinitialized')"
    fill(consumer, subscriptions="('stock', 'south')", subscription_events=event)
    taken = consumer.build.run("run", "--select", "+subscription_event_log")
    assert taken.success, taken.errors
    fill(consumer, subscription_events=event)
    assert errors(consumer) == ()
    fill(consumer, subscription_events=f"{event}, ('stock', 'north', 'reinitialized')")
    (error,) = errors(consumer)
    assert "subscriber 'north'" in error
    assert "subscriber 'south'" not in error
    events = f"{consumer.schema}_inputs.subscription_events"
    fill(consumer, subscription_events=event)
    consumer.build.spark.sql(
        f"insert into {events} (publication, subscriber, event, snapshot_position)"
        " values ('stock', 'south', 'reinitialized', 7)"
    )
    (error,) = errors(consumer)
    assert "subscriber 'south'" in error


@pytest.mark.spark
def test_an_event_is_the_same_whether_its_numbers_are_text(consumer: ScratchProject) -> None:
    fill(consumer, subscriptions="('stock', 'south')")
    log = f"{consumer.schema}.subscription_event_log"
    # the inputs stay the queries that they are
    models = ("--select", "+subscription_event_log", "--exclude", "path:models/inputs")
    said = (
        "'stock' as publication, 'south' as subscriber, 'reinitialized' as event, "
        "{0}(5) as snapshot_position, {0}(9) as queue_position, "
        "{1} '2026-01-01 00:00:00' as at"
    )
    counted = []
    for number, time in (("bigint", "timestamp"), ("string", "")):
        query = f"select {said.format(number, time)}"
        with inputs_as(consumer, subscription_events=query):
            taken = consumer.build.run("run", *models)
        assert taken.success, taken.errors
        events = consumer.build.spark.sql(
            f"select effective_position from {log} where snapshot_position = 5"
        )
        counted.append([row.effective_position for row in events.collect()])
    assert counted == [[9], [9]]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("{{ replication_conflicts.resolution(given, winner=given.winer ~ ' = 1') }}", "= 1"),
        ("if({{ given.kind }} = 'update_update', 'change', null)", "STRING"),
    ],
)
def test_a_resolver_that_makes_no_resolution(
    made: str, expected: str, consumer: ScratchProject
) -> None:
    """It is named before the first conflict, in the middle of a statement about all articles."""
    fill(consumer, subscriptions="('stock', 'south')")
    macro = consumer.folder / "macros" / "resolver_wrong.sql"
    macro.parent.mkdir(exist_ok=True)
    macro.write_text(f"{{% macro resolver_wrong(given) %}}{made}{{% endmacro %}}\n")
    file = consumer.folder / "dbt_project.yml"
    project = PROJECT.replace("replication: queued", "replication: merge")
    file.write_text(project.replace("initial_snapshot: true", "resolver: {name: wrong}"))
    try:
        said = "\n".join(errors(consumer))
    finally:
        file.write_text(PROJECT)
        macro.unlink()
    subject = "publication 'stock', article 'item', option 'resolver': the macro resolver_wrong"
    assert f"{subject} does not make a resolution" in said
    assert expected in said
