"""Generated publications of merge replication: subscriptions, and articles with their options."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import Any

SUBSCRIBERS = ("north", "south", "köln", "leaf")
ROW_RESOLVERS: tuple[dict[str, str], ...] = (
    {"name": "priority"},
    {"name": "publisher_wins"},
    {"name": "subscriber_wins"},
    {"name": "download_only"},
    {"name": "upload_only"},
    {"name": "manual"},
    {"name": "earlier_wins", "column": "day"},
    {"name": "later_wins", "column": "day"},
    {"name": "maximum", "column": "units"},
    {"name": "minimum", "column": "units"},
    {"name": "priority_column", "column": "units"},
)
COLUMN_RESOLVERS: tuple[dict[str, str], ...] = (
    {"name": "additive", "column": "units"},
    {"name": "additive", "column": "rate"},
    {"name": "additive_delta", "column": "units"},
    {"name": "averaging", "column": "price"},
    {"name": "averaging", "column": "units"},
    {"name": "merge_text", "column": "note", "separator": "=="},
)
COLUMNS = {
    "area": "string",
    "units": "smallint",
    "price": "decimal(6,2)",
    "rate": "double",
    "note": "string",
    "day": "date",
}
VALUES: dict[str, tuple[object, ...]] = {
    "area": ("n", "s", None),
    "units": (None, -5, 0, 1, 7, 20, 32767),
    "price": (None, Decimal("0.01"), Decimal("1.00"), Decimal("2.35"), Decimal("9999.99")),
    "rate": (None, 0.5, 1.25, -3.0),
    "note": (None, "a", "ab", "abc", "b"),
    "day": (None, date(2024, 1, 1), date(2024, 1, 2), date(2024, 2, 1)),
}


def value_of(random: Random, column: str, keys: int) -> object:
    """Few values, so that they meet; some that overflow, some that break a constraint.

    A column that names a parent has one of `keys` keys.
    """
    if column.endswith("_id"):
        return random.choice((*range(keys), None))
    return random.choice(VALUES[column])


def publication(random: Random) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """A configuration, and its subscriptions with their options."""
    subscriptions = _subscriptions(random)
    articles: dict[str, Any] = {"customer": _article(random, ["customer_id"])}
    names = ("customer", "purchase", "line")[: random.choice((1, 2, 2, 3))]
    for parent, name in pairwise(names):
        article = _article(random, [f"{name}_id"])
        article["columns"][f"{parent}_id"] = "int"
        if random.random() < 0.5:
            to = {"columns": [f"{parent}_id"], "references": parent, "to": [f"{parent}_id"]}
            article["foreign_keys"] = [to]
        articles[name] = article
    configuration: dict[str, Any] = {
        "replication": "merge",
        "publisher": "HQ",
        "retention_days": 14,
        "articles": articles,
    }
    if len(names) > 1 and random.random() < 0.6:
        configuration["logical_records"] = [_record(random, names, articles)]
    elif random.random() < 0.3:
        filtered = random.choice(names)
        articles[filtered]["row_filter"] = {
            name: f"area = '{random.choice(('n', 's'))}'"
            for name in subscriptions
            if random.random() < 0.8
        }
    return configuration, subscriptions


def record_publication(random: Random) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The same with a logical record of two articles, and a third beside it that refers to one."""
    subscriptions = _subscriptions(random)
    names = ("customer", "purchase", "line")
    articles = {name: _article(random, [f"{name}_id"]) for name in names}
    for parent, name in pairwise(names):
        articles[name]["columns"][f"{parent}_id"] = "int"
    articles["purchase"]["unique"] = [["price"]]
    articles["line"]["foreign_keys"] = [
        {"columns": ["purchase_id"], "references": "purchase", "to": ["purchase_id"]}
    ]
    members = names[:2]
    record = _record(random, members, {name: articles[name] for name in members})
    configuration = {
        "replication": "merge",
        "publisher": "HQ",
        "retention_days": 14,
        "articles": articles,
        "logical_records": [{**record, "resolution": True}],
    }
    return configuration, subscriptions


def key_publication(random: Random) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Three articles with unique keys and foreign keys, of which many changes break one."""
    subscriptions = _subscriptions(random)
    names = ("customer", "purchase", "line")
    articles = {name: _article(random, [f"{name}_id"]) for name in names}
    for article in articles.values():
        for constraint in ("not_null", "check", "unique"):
            article.pop(constraint, None)
    articles["customer"]["unique"] = [["price"]]
    articles["purchase"]["unique"] = [random.choice((["note"], ["area", "day"]))]
    for parent, name in pairwise(names):
        articles[name]["columns"][f"{parent}_id"] = "int"
        articles[name]["foreign_keys"] = [
            {"columns": [f"{parent}_id"], "references": parent, "to": [f"{parent}_id"]}
        ]
    if random.random() < 0.5:
        articles["line"]["foreign_keys"].append(
            {"columns": ["price"], "references": "customer", "to": ["price"]}
        )
    configuration = {
        "replication": "merge",
        "publisher": "HQ",
        "retention_days": 14,
        "articles": articles,
    }
    return configuration, subscriptions


def resolver_publication(
    random: Random, resolver: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The same with one article, whose conflicts the resolver decides: nothing else fails there."""
    subscriptions = _subscriptions(random)
    article = _article(random, ["customer_id"])
    for constraint in ("not_null", "check", "unique"):
        article.pop(constraint, None)
    if resolver in COLUMN_RESOLVERS:
        article["tracking"] = "column"
    article["resolver"] = dict(resolver)
    configuration = {
        "replication": "merge",
        "publisher": "HQ",
        "retention_days": 14,
        "articles": {"customer": article},
    }
    return configuration, subscriptions


def _subscriptions(random: Random) -> dict[str, dict[str, Any]]:
    subscriptions: dict[str, dict[str, Any]] = {}
    for name in random.sample(SUBSCRIBERS[:3], random.randint(1, 3)):
        options: dict[str, Any] = {"type": random.choice(("server", "server", "client"))}
        if options["type"] == "server":
            options["priority"] = random.choice((0, 25, 50, 75, 75, 99.99))
            options["republisher"] = random.random() < 0.3
        subscriptions[name] = options
    above = [name for name, options in subscriptions.items() if options.get("republisher")]
    if above:
        subscriptions["leaf"] = {"type": "client", "below": above[0]}
    return subscriptions


def _article(random: Random, key: list[str]) -> dict[str, Any]:
    tracking = random.choice(("row", "column"))
    columns = dict.fromkeys(key, "int") | COLUMNS
    article: dict[str, Any] = {"columns": columns, "primary_key": key, "tracking": tracking}
    if random.random() < 0.4:
        more = COLUMN_RESOLVERS if tracking == "column" else ()
        article["resolver"] = dict(random.choice((*ROW_RESOLVERS, *more)))
    article["ignore_equal_values"] = random.random() < 0.2
    article["compensate_for_errors"] = random.random() < 0.7
    article["conflict_logging"] = random.choice(("both", "both", "publisher", "subscriber"))
    if random.random() < 0.3:
        article["not_null"] = ["note"]
    if random.random() < 0.3:
        article["check"] = {"units_not_negative": "units >= 0"}
    if random.random() < 0.25:
        article["unique"] = random.choice(([["price"]], [["area", "day"]]))
    return article


def _record(random: Random, names: tuple[str, ...], articles: dict[str, Any]) -> dict[str, Any]:
    """A logical record of all articles; its members have no resolver of their own."""
    for article in articles.values():
        article.pop("resolver", None)
    detection, resolution = random.choice(((False, False), (False, True), (True, True)))
    return {
        "top": names[0],
        "members": {
            name: {"parent": parent, "columns": [f"{parent}_id"]}
            for parent, name in pairwise(names)
        },
        "detection": detection,
        "resolution": resolution,
    }
