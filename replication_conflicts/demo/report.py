"""What a person reads at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from replication_conflicts.demo.lakehouse import Lakehouse
from replication_conflicts.demo.play import PUBLICATION, Ending, Repetition, Round

KINDS = (
    "update_update",
    "insert_insert",
    "update_delete",
    "delete_update",
    "condemned",
)
NEXT_QUERIES = (
    (
        "the conflicts that south lost, in words",
        "select conflict_kind, article, row_key, reason_text from conflicts_info"
        " where origin_datasource = 'south' limit 10",
    ),
    (
        "shelves as they lost, beside what is published now",
        "select lost.branch_code, lost.sku, lost.quantity as lost_quantity, published.quantity,"
        " lost.origin_datasource_id from conflict_inventory_stock_level as lost"
        " left join inventory__stock_level as published using (branch_code, sku) limit 10",
    ),
    (
        "what north was told to do to be right again",
        "select article, operation, key, old_version, new_version from subscriber_commands"
        " where subscriber = 'north' and kind = 'compensating'"
        " order by queue_position, sequence limit 10",
    ),
)


def round_line(one: Round, deliveries: int) -> str:
    """One line about a delivery and its run."""
    delivery = one.delivery
    online = ", ".join(delivery.online)
    title = (
        f"delivery {delivery.number} of {deliveries}" if delivery.transactions else "last uploads"
    )
    parts = [f"{len(delivery.rows):,} feed rows", f"dbt build {one.seconds:.0f} s"]
    parts.append(f"commands to {online}")
    if delivery.is_broken_off:
        parts.append("one upload broke off in the middle of a transaction")
    if one.reinitialized:
        parts.append(f"reinitialized: {', '.join(one.reinitialized)}")
    return f"{title}: {'; '.join(parts)}"


def print_results(console: Console, lakehouse: Lakehouse) -> None:
    """Changes taken, outcomes, conflicts by kind and article, commands by kind."""
    console.print(_taken(lakehouse))
    console.print(_outcomes(lakehouse))
    console.print(_conflicts(lakehouse))
    console.print(_commands(lakehouse))


def print_ending(console: Console, ending: Ending) -> None:
    """Whether the branches have what the publisher has."""
    equal = ending.branches - len(ending.unequal)
    style = "green" if not ending.unequal else "bold red"
    console.print(f"Branches equal to the publisher: {equal} of {ending.branches}", style=style)
    for name in ending.unequal:
        console.print(f"  {name} differs", style=style)


def print_repetition(console: Console, repetition: Repetition) -> None:
    """What a second delivery of the same feed did."""
    console.print(
        f"The same feed was delivered again: {repetition.rows:,} rows, dbt build "
        f"{repetition.seconds:.0f} s."
    )
    if repetition.taken or repetition.changed_tables:
        console.print(
            f"{repetition.taken:,} changes were taken, and these tables have a new version: "
            f"{', '.join(repetition.changed_tables) or 'none'}",
            style="bold red",
        )
        return
    console.print(
        "Nothing was new: no change was taken, and no data table has a new version.",
        style="green",
    )


def print_next(console: Console, is_repetition: bool) -> None:
    """What to try now."""
    console.print("\nThree queries to try next:")
    for title, query in NEXT_QUERIES:
        console.print(f"\n  {title}", style="bold")
        console.print(f'  replication-conflicts query "{query}"', soft_wrap=True, markup=False)
    again = (
        "--fresh starts over" if is_repetition else "once more: the same feed is delivered again"
    )
    console.print(
        f"\n`make demo` {again}. Other policies: `replication-conflicts demo --fresh --policy"
        " subscriber_wins`; what else there is: `replication-conflicts demo --help`.",
        soft_wrap=True,
    )


def _taken(lakehouse: Lakehouse) -> Table:
    articles = lakehouse.publication.articles
    delivered = " union all ".join(
        f"select change_id from feeds.{PUBLICATION}__{name}" for name in articles
    )
    # a NULL id is no copy of another one
    copies = lakehouse.count(
        f"select count(change_id) - count(distinct change_id) from ({delivered})"
    )
    rejected = lakehouse.rows(
        "select reason, count(*) as number from published.rejected_changes"
        " group by reason order by reason"
    )
    contents = [
        ("feed rows delivered", lakehouse.count(f"select count(*) from ({delivered})")),
        ("of these, second copies", copies),
        ("changes taken", lakehouse.count("select count(*) from published.change_outcomes")),
        (
            "transactions",
            lakehouse.count("select count(distinct transaction_id) from published.change_outcomes"),
        ),
        ("rejected, they break the contract", sum(_number(row) for row in rejected)),
    ]
    table = _table("What came in", "", "number")
    for name, number in contents:
        table.add_row(name, f"{number:,}")
    for row in rejected:
        table.add_row(f"  {row['reason']}", f"{_number(row):,}", style="dim")
    return table


def _outcomes(lakehouse: Lakehouse) -> Table:
    table = _table("What was decided", "outcome", "changes", "transactions")
    query = (
        "select outcome, count(*) as number, count(distinct transaction_id) as transactions"
        " from published.change_outcomes group by outcome order by number desc"
    )
    for row in lakehouse.rows(query):
        table.add_row(str(row["outcome"]), f"{_number(row):,}", f"{row['transactions']:,}")
    return table


def _conflicts(lakehouse: Lakehouse) -> Table:
    articles = list(lakehouse.publication.articles)
    counts: dict[tuple[str, str], int] = {}
    query = (
        "select conflict_kind, article, count(*) as number"
        " from published.conflicts_info group by conflict_kind, article"
    )
    for row in lakehouse.rows(query):
        counts[str(row["conflict_kind"]), str(row["article"])] = _number(row)
    kinds = [*KINDS, *sorted({kind for kind, _ in counts} - set(KINDS))]
    table = _table("Conflicts", "kind", *articles, "all")
    for kind in kinds:
        numbers = [counts.get((kind, article), 0) for article in articles]
        table.add_row(kind, *_texts([*numbers, sum(numbers)]))
    return table


def _commands(lakehouse: Lakehouse) -> Table:
    query = (
        "select kind, coalesce(operation, '') as operation, count(*) as number"
        " from published.distribution_commands group by all order by kind, operation"
    )
    table = _table("Commands", "kind", "operation", "number")
    for row in lakehouse.rows(query):
        table.add_row(str(row["kind"]), str(row["operation"]), f"{_number(row):,}")
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", min_width=44)
    for place, name in enumerate(columns):
        is_text = place == 0 or name == "operation"
        table.add_column(name, justify="left" if is_text else "right")
    return table


def _texts(numbers: Iterable[int]) -> Sequence[str]:
    return [f"{number:,}" if number else "-" for number in numbers]


def _number(row: Mapping[str, object]) -> int:
    return int(str(row["number"]))
