"""Configurations that are wrong: dbt stops while it parses, and says where and what is allowed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import pytest
import yaml

from replication_conflicts.scenarios.project import package_folder

from .conftest import ScratchProject

Options = dict[str, Any]

COLUMNS = {"item_id": "int", "name": "string", "price": "decimal(10,2)"}
RESERVED = (
    "change_id",
    "queue_position",
    "node",
    "transaction_id",
    "transaction_change_count",
    "operation",
    "changed_at",
    "old_version",
    "new_version",
    "row_key",
    "row_version",
    "conflict_id",
    "origin_datasource_id",
    "is_deleted",
    "version_node",
    "version_change_id",
    "run_sequence",
    "content_hash",
    "change_row",
    "publication",
    "article",
)
RESERVED_OF_MERGE = (
    "lineage",
    "known_position",
    "changed_columns",
    "previous_values",
    "priority",
    "written_columns",
    "merge_version",
)
TYPES = (
    "string",
    "varchar(20)",
    "char(3)",
    "boolean",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "decimal(38,0)",
    "decimal(10, 2)",
    "date",
    "timestamp",
    "timestamp_ntz",
    "binary",
    "array<string>",
    "map<string,bigint>",
    "struct<a:int,b: array<map<string, decimal(4,1)>>>",
)
NO_TYPES = (
    "text",
    "INT",
    "integer",
    "decimal",
    "decimal(39,2)",
    "decimal(4,5)",
    "varchar",
    "array",
    "array<text>",
    "map<string>",
    "map<int,string>",
    "map<varchar(3),string>",
    "struct<int>",
    "int; drop table x",
    "",
    "7",
)


def publication(**options: Any) -> Options:
    """A publication that is right, with some options changed; None takes one away."""
    article = {"columns": dict(COLUMNS), "primary_key": ["item_id"]}
    all_options = {
        "replication": "queued",
        "publisher": "HQ",
        "articles": {"item": article},
        **options,
    }
    return {name: value for name, value in all_options.items() if value is not None}


def with_article(**options: Any) -> Options:
    """A publication whose article `item` has some options changed; None takes one away."""
    changed = publication()
    article = {**changed["articles"]["item"], **options}
    changed["articles"]["item"] = {k: v for k, v in article.items() if v is not None}
    return changed


def with_resolver(**resolver: Any) -> Options:
    """A publication of merge replication whose article `item` has a resolver."""
    return {**with_article(resolver=resolver), "replication": "merge"}


def with_key(**changes: Any) -> Options:
    """A publication with a second article that has a foreign key, changed."""
    changed = publication()
    key = {"columns": ["item_id"], "references": "item", "to": ["item_id"], **changes}
    changed["articles"]["stock"] = {
        "columns": {"branch": "string", "item_id": "int"},
        "primary_key": ["branch", "item_id"],
        "foreign_keys": [key],
    }
    return changed


def with_records(*records: Any) -> Options:
    """A publication of merge replication with logical records."""
    return publication(replication="merge", logical_records=list(records))


def with_columns(**columns: Any) -> Options:
    """A publication whose article has more columns."""
    return with_article(columns={**COLUMNS, **columns})


RIGHT: dict[str, Options] = {
    "plain": publication(),
    "names_of_merge": with_columns(**dict.fromkeys(RESERVED_OF_MERGE, "string")),
    "policy_and_days": publication(
        policy="subscriber_wins", retention_days=1, conflict_retention_days=100000
    ),
    "nothing_asked_for": with_article(
        not_null=[], unique=[], check={}, compensate_for_errors=False
    ),
    "every_type": with_columns(**{f"c{number}": name for number, name in enumerate(TYPES)}),
    "letters": with_columns(größe="int", _1="int"),
    "more": with_article(initial_snapshot=True, conflict_logging="both", version_column="version"),
    "foreign_key": with_key(),
    "constraints": with_article(
        not_null=["name"],
        unique=[["name"]],
        check={"positive": "price > 0"},
        row_filter={"north": "item_id > 0"},
        compensate_for_errors=True,
    ),
    "merge": {**with_article(tracking="column"), "replication": "merge"},
    "resolver": with_resolver(name="maximum", column="price"),
    "resolver_scale": {
        **with_article(
            columns={**COLUMNS, "share": "decimal(38,36)"},
            tracking="column",
            resolver={"name": "averaging", "column": "share"},
        ),
        "replication": "merge",
    },
    "resolver_any_scale": {
        **with_article(
            columns={**COLUMNS, "share": "decimal(38,37)"},
            resolver={"name": "maximum", "column": "share"},
        ),
        "replication": "merge",
    },
    "records_by_row": with_records({"top": "item", "members": {}}),
    "records_as_a_whole": with_records({"top": "item", "resolution": True}),
    "to_itself": with_article(
        foreign_keys=[{"columns": ["item_id"], "references": "item", "to": ["item_id"]}]
    ),
}

# name of a publication: what is wrong with it, and what its lines of the error must contain
WRONG: dict[str, tuple[Any, tuple[str, ...]]] = {
    # the publication
    "no_mapping": ("queued", ("must be a mapping",)),
    "unknown_option": (publication(polcy="x"), ("option 'polcy'", "must be one of: replication")),
    "no_replication": (publication(replication=None), ("option 'replication'", "is missing")),
    "replication": (
        publication(replication="snapshot"),
        ("option 'replication'", "is 'snapshot'", "must be one of: queued, merge"),
    ),
    "merge_policy": (
        publication(replication="merge", policy="publisher_wins"),
        ("option 'policy'", "belongs to replication: queued"),
    ),
    "policy": (
        publication(policy="last_wins"),
        (
            "option 'policy'",
            "is 'last_wins'",
            "publisher_wins, publisher_wins_reinitialize, subscriber_wins",
        ),
    ),
    "no_publisher": (publication(publisher=None), ("option 'publisher'", "is missing")),
    "empty_publisher": (publication(publisher=" "), ("option 'publisher'", "must be text")),
    "publisher_blank": (publication(publisher=" HQ "), ("option 'publisher'", "blanks around it")),
    "publisher_quote": (publication(publisher="O'Neill"), ("option 'publisher'", "quotes")),
    "no_articles": (publication(articles=None), ("option 'articles'", "is missing")),
    "empty_articles": (publication(articles={}), ("option 'articles'", "is empty")),
    "zero_days": (
        publication(retention_days=0),
        ("option 'retention_days'", "is '0'", "1 to 100000"),
    ),
    "text_days": (publication(retention_days="14"), ("option 'retention_days'", "whole number")),
    "true_days": (publication(retention_days=True), ("option 'retention_days'", "whole number")),
    "conflict_days": (
        publication(conflict_retention_days=0),
        ("option 'conflict_retention_days'", "is '0'", "1 to 100000"),
    ),
    "many_days": (
        publication(retention_days=100001),
        ("option 'retention_days'", "is '100001'", "1 to 100000"),
    ),
    "many_conflict_days": (
        publication(conflict_retention_days=999999999),
        ("option 'conflict_retention_days'", "is '999999999'", "1 to 100000"),
    ),
    "records": (
        publication(logical_records=[{"top": "item", "members": {}}]),
        ("option 'logical_records'", "belongs to replication: merge"),
    ),
    "record_shape": (
        with_records({"top": "item", "parts": []}),
        ("option 'logical_records'", "must be {top:"),
    ),
    "record_flag": (
        with_records({"top": "item", "resolution": "yes"}),
        ("option 'logical_records'", "resolution is 'yes'", "true or false"),
    ),
    "record_article": (
        with_records({"top": "thing"}),
        ("option 'logical_records'", "'thing' is no article", "must be one of: item"),
    ),
    "two_records": (
        with_records({"top": "item"}, {"top": "item"}),
        ("option 'logical_records'", "'item' belongs to two records"),
    ),
    "record_member": (
        with_records({"top": "thing", "members": {"item": "thing"}}),
        ("option 'logical_records'", "member 'item' must be {parent:"),
    ),
    "record_parent": (
        with_records({"top": "thing", "members": {"item": {"parent": "x", "columns": ["name"]}}}),
        ("option 'logical_records'", "the parent 'x'", "does not lead to the top 'thing'"),
    ),
    "record_column": (
        with_records(
            {"top": "thing", "members": {"item": {"parent": "thing", "columns": ["nothing"]}}}
        ),
        ("option 'logical_records'", "'nothing' is no column of article 'item'"),
    ),
    "detection": (
        publication(replication="merge", logical_records=[{"top": "item", "detection": True}]),
        ("option 'logical_records'", "detection", "resolution"),
    ),
    "record_resolver": (
        {
            **with_article(resolver={"name": "maximum", "column": "price"}),
            "replication": "merge",
            "logical_records": [{"top": "item", "members": {}, "resolution": True}],
        },
        ("article 'item', option 'resolver'", "is 'maximum'", "must be 'priority'"),
    ),
    "record_resolver_of_rows": (
        {
            **with_article(resolver={"name": "maximum", "column": "price"}),
            "replication": "merge",
            "logical_records": [{"top": "item", "members": {}}],
        },
        ("article 'item', option 'resolver'", "must be 'priority'"),
    ),
    "a-name": (publication(), ("letters (a to z, upper or lower case), digits and _",)),
    # the article
    "article_no_mapping": (publication(articles={"item": None}), ("article 'item': must be",)),
    "article_name": (
        publication(articles={"it em": publication()["articles"]["item"]}),
        ("article 'it em': its name",),
    ),
    "article_option": (
        with_article(primary_keys=["item_id"]),
        ("article 'item', option 'primary_keys'", "must be one of: columns, primary_key"),
    ),
    "conflict_logging": (
        with_article(conflict_logging="all"),
        ("option 'conflict_logging'", "is 'all'", "publisher, subscriber, both"),
    ),
    "tracking": (
        with_article(tracking="col"),
        ("option 'tracking'", "is 'col'", "must be one of: row, column"),
    ),
    "snapshot": (
        with_article(initial_snapshot="yes"),
        ("option 'initial_snapshot'", "is 'yes'", "true or false"),
    ),
    "version_column": (
        with_article(version_column="name"),
        ("option 'version_column'", "is 'name'", "a column of the article"),
    ),
    "version_column_case": (
        with_article(version_column="NAME"),
        ("option 'version_column'", "is 'NAME'", "a column of the article"),
    ),
    "check_without_value": (
        with_article(check={"positive": None}),
        ("option 'check'", "'positive' has no value", "must be text"),
    ),
    "check_number": (
        with_article(check={"positive": 7}),
        ("option 'check'", "'positive' is '7'", "must be text"),
    ),
    "empty_check": (
        with_article(check={"positive": " "}),
        ("option 'check'", "'positive' is ' '", "must be text"),
    ),
    "filter_without_value": (
        with_article(row_filter={"north": None}),
        ("option 'row_filter'", "'north' has no value", "must be text"),
    ),
    # its columns and keys
    "no_columns": (with_article(columns=None), ("option 'columns'", "is missing")),
    "empty_columns": (with_article(columns={}), ("option 'columns'", "is empty")),
    "column_list": (with_article(columns=["item_id"]), ("option 'columns'", "must be a mapping")),
    "column_name": (with_columns(**{"unit price": "int"}), ("option 'columns'", "'unit price'")),
    "column_twice": (with_columns(Name="int"), ("option 'columns'", "'Name' stands twice")),
    "no_key": (with_article(primary_key=None), ("option 'primary_key'", "is missing")),
    "empty_key": (with_article(primary_key=[]), ("option 'primary_key'", "is empty")),
    "key_text": (with_article(primary_key="item_id"), ("option 'primary_key'", "must be a list")),
    "key_column": (
        with_article(primary_key=["id"]),
        ("option 'primary_key'", "'id' is no column", "must be one of: item_id, name, price"),
    ),
    "key_of_lists": (
        with_article(primary_key=[["item_id"]]),
        ("option 'primary_key'", "'['item_id']' is no column"),
    ),
    "references_list": (
        with_article(foreign_keys=[{"columns": ["item_id"], "references": [], "to": ["item_id"]}]),
        ("option 'foreign_keys'", "'[]' is no article"),
    ),
    "key_twice": (
        with_article(primary_key=["item_id", "item_id"]),
        ("option 'primary_key'", "'item_id' stands twice"),
    ),
    "floating_key": (
        with_article(columns={"item_id": "double"}),
        ("option 'primary_key'", "'item_id' is of type double"),
    ),
    "complex_key": (
        with_article(columns={"item_id": "array<int>"}),
        ("option 'primary_key'", "'item_id' is of type array<int>"),
    ),
    "not_null_of_lists": (
        with_article(not_null=[["name"]]),
        ("option 'not_null'", "'['name']' is no column"),
    ),
    "not_null": (with_article(not_null=["id"]), ("option 'not_null'", "'id' is no column")),
    "unique": (with_article(unique=[["id"]]), ("option 'unique'", "'id' is no column")),
    "unique_list": (with_article(unique=["name"]), ("option 'unique'", "list of lists")),
    "unique_of_nothing": (
        with_article(unique=[[]]),
        ("option 'unique'", "'[]' is empty", "a column"),
    ),
    "unique_twice": (
        with_article(unique=[["name", "name"]]),
        ("option 'unique'", "'name' stands twice"),
    ),
    "foreign_key_twice": (
        with_article(
            foreign_keys=[
                {"columns": ["item_id", "price"], "references": "item", "to": ["price", "price"]}
            ]
        ),
        ("option 'foreign_keys'", "'price' stands twice"),
    ),
    "resolver_asked": (
        with_article(resolver={"name": "publisher_wins"}),
        ("option 'resolver'", "belongs to replication: merge"),
    ),
    "equal_asked": (
        with_article(ignore_equal_values=True),
        ("option 'ignore_equal_values'", "belongs to replication: merge"),
    ),
    "tracking_asked": (
        with_article(tracking="row"),
        ("option 'tracking'", "belongs to replication: merge"),
    ),
    # resolvers
    "resolver_name": (
        with_resolver(name="largest"),
        ("option 'resolver'", "is 'largest'", "must be one of: priority, publisher_wins"),
    ),
    "resolver_as_text": (
        {**with_article(resolver="later_wins"), "replication": "merge"},
        (
            "option 'resolver'",
            "is 'later_wins'",
            "must be a mapping with a name: {name: later_wins}",
        ),
    ),
    "resolver_name_list": (
        with_resolver(name=["priority"]),
        ("option 'resolver'", "is '['priority']'", "must be one of"),
    ),
    "resolver_column_list": (
        with_resolver(name="maximum", column=["price"]),
        ("option 'resolver'", "names the column '['price']'", "must be one of"),
    ),
    "record_of_lists": (
        with_records({"top": ["item"], "members": {}}),
        ("option 'logical_records'", "'['item']' is no article"),
    ),
    "resolver_column_of_key": (
        with_resolver(name="maximum", column="item_id"),
        ("option 'resolver'", "names the column 'item_id'", "is of the primary key"),
    ),
    "resolver_column": (
        with_resolver(name="maximum"),
        ("option 'resolver'", "'maximum' needs a column"),
    ),
    "resolver_own_column_of_key": (
        with_resolver(name="price_of_change", column="item_id"),
        ("option 'resolver'", "names the column 'item_id'", "is of the primary key"),
    ),
    "resolver_own_no_column": (
        with_resolver(name="price_of_change", column="cost"),
        ("option 'resolver'", "column 'cost'", "must be one of: item_id, name, price"),
    ),
    "resolver_no_column": (
        with_resolver(name="maximum", column="cost"),
        ("option 'resolver'", "column 'cost'", "must be one of: item_id, name, price"),
    ),
    "resolver_type": (
        with_resolver(name="later_wins", column="name"),
        ("option 'resolver'", "column 'name' of type string", "date, timestamp"),
    ),
    "resolver_tracking": (
        with_resolver(name="additive", column="price"),
        ("option 'resolver'", "'additive' needs tracking: column"),
    ),
    "resolver_option": (
        with_resolver(name="maximum", column="price", separator=","),
        ("option 'resolver'", "'maximum' has no option 'separator'"),
    ),
    **{
        f"resolver_{name}_scale": (
            {
                **with_article(
                    columns={**COLUMNS, "share": "decimal(38,37)"},
                    tracking="column",
                    resolver={"name": name, "column": "share"},
                ),
                "replication": "merge",
            },
            ("option 'resolver'", f"'{name}'", "'share' of type decimal(38,37)", "36 digits"),
        )
        for name in ("additive", "averaging", "additive_delta")
    },
    # foreign keys
    "key_form": (with_key(on_delete="x"), ("article 'stock', option 'foreign_keys'", "must be {")),
    "key_own_column": (with_key(columns=["sku"]), ("option 'foreign_keys'", "'sku' is no column")),
    "key_parent": (
        with_key(references="items"),
        ("option 'foreign_keys'", "'items' is no article", "must be one of: item, stock"),
    ),
    "key_parent_column": (
        with_key(to=["id"]),
        ("option 'foreign_keys'", "'id' is no column of article 'item'"),
    ),
    "key_counts": (
        with_key(columns=["item_id", "branch"]),
        ("option 'foreign_keys'", "columns has 2", "to has 1"),
    ),
    "key_of_nothing": (
        with_key(columns=[], to=[]),
        ("option 'foreign_keys'", "columns is empty", "a column"),
    ),
    # names that collide
    "a": (
        publication(
            articles={
                "b_c": publication()["articles"]["item"],
                "d": publication()["articles"]["item"],
                "d__versions": publication()["articles"]["item"],
            }
        ),
        ("article 'd__versions'", "'a__d__versions'", "article 'd'"),
    ),
    "a_b": (
        publication(articles={"c": publication()["articles"]["item"]}),
        ("article 'c'", "'conflict_a_b_c'", "publication 'a', article 'b_c'"),
    ),
    "name_of_reports": (
        publication(articles={"Apply_errors": publication()["articles"]["item"]}),
        ("article 'Apply_errors'", "the feed of reports", "rename the article"),
    ),
    "PLAIN": (publication(), ("article 'item'", "'PLAIN__item'", "publication 'plain'")),
    **{
        f"reserved_{column}": (
            with_columns(**{column.upper() if number % 2 else column: "string"}),
            ("article 'item', option 'columns'", "feed contract"),
        )
        for number, column in enumerate(RESERVED)
    },
    **{
        f"reserved_of_merge_{column}": (
            {**with_columns(**{column: "string"}), "replication": "merge"},
            ("article 'item', option 'columns'", "feed contract"),
        )
        for column in RESERVED_OF_MERGE
    },
    **{
        f"type_{number}": (
            with_columns(extra=data_type),
            (
                "article 'item', option 'columns'",
                f"'extra' has the type '{data_type}'",
                "decimal(p",
            ),
        )
        for number, data_type in enumerate(NO_TYPES)
    },
}

PROJECT = """
name: consumer
version: "1.0"
config-version: 2
profile: replication_conflicts
flags: {require_ref_searches_node_package_before_root: true}
"""
SOURCES = """
sources:
  - {name: feeds, tables: [{name: plain__item}]}
  - {name: held, tables: [{name: plain__item__versions}]}
"""

# resolvers of the project's own that compute a value: one has the name of one of the package
OWN_RESOLVER = """
{% macro resolver_price_of_change(given) -%}
{{ replication_conflicts.resolution(given, value="change_row['price']", is_computed='true') }}
{%- endmacro %}
"""
OWN_MINIMUM = OWN_RESOLVER.replace("price_of_change", "minimum")


@pytest.fixture(scope="module")
def consumer(
    scratch_project: Callable[[Mapping[str, str]], ScratchProject],
) -> ScratchProject:
    """A project that installs this one; its configuration comes with each command."""
    files = {
        "dbt_project.yml": PROJECT,
        "macros/resolver_price_of_change.sql": OWN_RESOLVER,
        "macros/resolver_minimum.sql": OWN_MINIMUM,
        "packages.yml": json.dumps({"packages": [{"local": str(package_folder())}]}),
        "models/sources.yml": SOURCES,
        "models/subscriptions.sql": "select 1 as one",
        "models/subscription_events.sql": "select 1 as one",
        "models/conflict_decisions.sql": "select 1 as one",
        "models/stg_plain__item.sql": call("staged_changes"),
        "models/plain__item__versions.sql": call("row_versions"),
        "models/plain__item.sql": call("published_rows"),
        "models/conflict_plain_item.sql": call("conflict_table"),
    }
    project = scratch_project(files)
    installed = project.build.run("deps")
    assert installed.success, installed.errors
    return project


def call(macro: str) -> str:
    """A thin model."""
    return f"{{{{ replication_conflicts.{macro}('plain', 'item') }}}}\n"


def parse(project: ScratchProject, publications: Any, **others: Any) -> tuple[str, ...]:
    """Parse with a configuration, and other variables; the errors."""
    # as a project has it: names may be something else than texts
    variables = yaml.safe_dump({"publications": publications, **others}, sort_keys=False)
    result = project.build.run("parse", "--no-partial-parse", "--vars", variables)
    assert result.success == (not result.errors)
    return result.errors


@pytest.fixture(scope="module")
def lines(consumer: ScratchProject) -> list[str]:
    """The lines of the one error about all wrong configurations together."""
    wrong = {name: deepcopy(options) for name, (options, _) in WRONG.items()}
    (error,) = parse(consumer, {**RIGHT, **wrong})
    assert "Correct it under vars: publications: in dbt_project.yml." in error
    return error.splitlines()


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_configuration_is_named(name: str, lines: list[str]) -> None:
    place = f"publication '{name}'"
    about = [line.strip() for line in lines if line.strip().startswith(place)]
    texts = WRONG[name][1]
    assert any(all(text in line for text in texts) for line in about), "\n".join(about)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_configuration_is_not_named(name: str, lines: list[str]) -> None:
    assert not [line for line in lines if line.strip().startswith(f"publication '{name}'")]


@pytest.mark.parametrize(
    ("publications", "texts"),
    [
        (["plain"], ("vars: publications:", "must be a mapping")),
        ({}, ("no publication is configured",)),
        ({"plain": None}, ("publication 'plain'", "must be a mapping")),
        ({"plain": {"replication": "queued"}}, ("publication 'plain'", "option 'articles'")),
        ({"plain": publication(articles=["item"])}, ("option 'articles'", "must be a mapping")),
        (
            {"plain": publication(articles={"item": {}})},
            ("publication 'plain', article 'item', option 'columns': is missing",),
        ),
        (
            {"plain": with_article(columns={**COLUMNS, 2: "string"})},
            ("option 'columns'", "'2' must consist of letters, digits and _; in quotes"),
        ),
        (
            {"plain": with_article(columns={**COLUMNS, False: "string"})},
            ("option 'columns'", "'False' must consist of letters, digits and _; in quotes"),
        ),
        (
            {"plain": publication(), 2024: publication()},
            (
                "publication '2024'",
                "letters (a to z, upper or lower case), digits and _; in quotes",
            ),
        ),
        (
            {"plain": publication(articles={**publication()["articles"], 7: {}})},
            ("publication 'plain', article '7'", "digits and _; in quotes"),
        ),
        (
            {"other": publication()},
            ("publication 'plain' is not configured", "known publications: other"),
        ),
        (
            {"plain": publication(articles={"thing": publication()["articles"]["item"]})},
            ("publication 'plain' has no article 'item'", "its articles: thing"),
        ),
    ],
)
def test_a_shapeless_configuration_is_a_clear_error(
    publications: Any, texts: tuple[str, ...], consumer: ScratchProject
) -> None:
    """Whichever model dbt looks at first, the error is not about Jinja."""
    (error,) = parse(consumer, publications)
    for text in texts:
        assert text in error


@pytest.mark.parametrize("data_type", ["decimal(8,2)", "map<string,int>", "struct<a:int,b:int>"])
def test_a_type_that_yaml_has_cut_belongs_in_quotes(
    data_type: str, consumer: ScratchProject
) -> None:
    """One thing is wrong, and one is said."""
    columns = yaml.safe_load(f"{{price: {data_type}}}")
    assert len(columns) == 2
    (error,) = parse(consumer, {"plain": with_article(columns={**COLUMNS, **columns})})
    cut = data_type.partition(",")[0]
    said = f"'price' has the type '{cut}': YAML has ended it at a comma, put it in quotes"
    assert error.count("option 'columns'") == 1
    assert said in error


def test_the_right_configuration_is_accepted(consumer: ScratchProject) -> None:
    assert parse(consumer, {"plain": publication()}) == ()


@pytest.mark.parametrize(
    ("tracking", "column"), [("column", None), ("row", "price"), ("row", None)]
)
def test_a_resolver_that_computes_names_the_column_of_the_value(
    tracking: str, column: str | None, consumer: ScratchProject
) -> None:
    """Otherwise keys of the article could get values that nobody has looked for."""
    resolver = {"name": "price_of_change", **({"column": column} if column else {})}
    article = with_article(tracking=tracking, resolver=resolver)
    (error,) = parse(consumer, {"plain": {**article, "replication": "merge"}})
    assert "'price_of_change' computes a value" in error
    assert "tracking: column" in error


def test_a_resolver_of_the_projects_own_may_compute(consumer: ScratchProject) -> None:
    article = with_article(
        tracking="column", resolver={"name": "price_of_change", "column": "price"}
    )
    assert parse(consumer, {"plain": {**article, "replication": "merge"}}) == ()


@pytest.mark.parametrize(("name", "is_own"), [("minimum", True), ("maximum", False)])
def test_a_resolver_of_the_projects_own_goes_before_that_of_the_package(
    name: str, is_own: bool, consumer: ScratchProject
) -> None:
    """The project's own computes a value, which row tracking does not allow."""
    article = with_article(tracking="row", resolver={"name": name, "column": "price"})
    said = parse(consumer, {"plain": {**article, "replication": "merge"}})
    assert [f"'{name}' computes a value" in error for error in said] == [True] * is_own


def test_a_what_if_names_its_own_options(consumer: ScratchProject) -> None:
    """What is wrong stands in the command, not in the project."""
    asked = with_resolver(name="additive", column="price")
    question = {"publication": "plain", "decided_in": "published"}
    (error,) = parse(consumer, {"plain": asked}, what_if=question)
    assert "Correct it in --policy, --resolver or --priority." in error
    assert "option 'resolver'" in error
