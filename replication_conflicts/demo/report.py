"""What a person reads at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.demo.conflict import BothSides
from replication_conflicts.demo.databases import Kind
from replication_conflicts.demo.decided import Decided, read_decided
from replication_conflicts.demo.intake import Intake, read_intake
from replication_conflicts.demo.lakehouse import Lakehouse
from replication_conflicts.demo.play import Delivery, Ending, Repetition
from replication_conflicts.demo.site import Site
from replication_conflicts.demo.state import Plan, State
from replication_conflicts.words import counted

PROGRAM = "replication-conflicts"
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


def delivery_lines(one: Delivery, deliveries: int) -> list[str]:
    """One line about a delivery and its run, one or two short ones for each publication, and what
    is to come.
    """
    title = "Last uploads" if one.is_closing else f"Delivery {one.number} of {deliveries}"
    lines = [f"{title}: dbt build {one.seconds:.0f} s"]
    for visit in one.visits:
        parts = [f"{counted(visit.rows, 'row')} reached the feed"]
        if visit.round.transactions:
            parts.insert(0, f"people made {counted(visit.round.transactions, 'transaction')}")
        lines.append(f"  {visit.publication}: {'; '.join(parts)}")
        # lines of their own: a terminal of 80 columns breaks none of them
        if visit.offline:
            lines.append(f"    offline: {', '.join(visit.offline)}")
        if visit.reinitialized:
            lines.append(f"    reinitialized: {', '.join(visit.reinitialized)}")
    # else nobody knows why so few rows are there of so many transactions
    if one.number < deliveries:
        lines.append("  What nodes have not uploaded yet comes with a later delivery.")
    return lines


def print_results(console: Console, lakehouse: Lakehouse, sites: Sequence[Site]) -> bool:
    """What came in; of each publication outcomes, and conflicts by kind and article; commands.

    False where something came in of which nobody knows what became of it.
    """
    intake = read_intake(lakehouse, [site.publication for site in sites])
    print_intake(console, intake)
    for site in sites:
        print_decided(console, read_decided(lakehouse, site.publication), site.publication)
        console.print(_conflicts(lakehouse, site.publication))
        console.print()
    console.print("The story makes many conflicts on purpose.\n")
    console.print(_commands(lakehouse))
    return not intake.missing


def print_intake(console: Console, intake: Intake) -> None:
    """What came in, and whether it adds up."""
    console.print(_came_in(intake))
    console.print(
        "A session of merge replication is one upload: the net changes of many people's\n"
        "transactions.\n"
    )
    if intake.missing:
        found = intake.delivered - intake.missing
        console.print(
            f"This does not add up: {intake.delivered:,} rows were delivered, {found:,} are known.",
            style="bold red",
        )


def print_decided(console: Console, decided: Decided, publication: NodePublication) -> None:
    """The outcomes of a publication, and why its conflicts are other ones than those that lost."""
    console.print(_outcomes(decided, publication))
    for line in _surprises(decided, publication.options.publisher):
        console.print(line, soft_wrap=True)
    console.print()


def print_ending(console: Console, ending: Ending, title: str) -> None:
    """One conflict from both sides, and whether all databases have the published rows."""
    if ending.conflict is not None:
        _print_conflict(console, ending.conflict)
    equal = ending.databases - len(ending.unequal)
    style = "green" if not ending.unequal else "bold red"
    console.print(
        f"{title} databases equal to the published rows: {equal} of {ending.databases}",
        style=style,
    )
    for name in ending.unequal:
        console.print(f"  {name} differs", style=style)


def _print_conflict(console: Console, one: BothSides) -> None:
    """The row that lost, beside what both sides hold now."""
    table = _table(
        f"One conflict from both sides ({one.kind} in {one.article})",
        "column",
        f"{one.loser} wrote",
        f"{one.loser} has now",
        f"{one.publisher} has now",
        is_text=True,
    )
    for column in one.columns:
        values = (column.name, column.lost, column.at_loser, column.at_publisher)
        is_lost = column.lost != column.at_publisher
        table.add_row(*(Text(_cell(value)) for value in values), style="yellow" if is_lost else "")
    console.print(table)
    places = f"{one.table} (conflict_id {one.conflict_id})"
    if one.is_at_loser:
        places += f", and in replication_conflict in the database of {one.loser}"
    for line in (
        one.reason,
        f"The row that lost is kept in {places}.",
        "Other keys of the demo hold quotes, bars and backslashes on purpose.\n",
    ):
        console.print(Text(line), soft_wrap=True)


def _cell(text: str | None) -> str:
    return "NULL" if text is None else repr(text) if text != text.strip() or not text else text


def print_repetition(console: Console, repetition: Repetition) -> None:
    """What a second delivery of the same feed did."""
    console.print(
        f"The same feeds were delivered again: {repetition.rows:,} rows, dbt build "
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


def print_next(console: Console, state: State, plan: Plan, is_repetition: bool) -> None:
    """What to try now."""
    program = _program()
    console.print("\nThree queries to try next:")
    for title, query in NEXT_QUERIES:
        console.print(f"\n  {title}", style="bold")
        console.print(f'  {program} query "{query}"', soft_wrap=True)
    lines = [""]
    target = "make demo-postgres"
    if plan.databases is Kind.SQLITE:
        target = "make demo"
        lines += _databases(state.databases)
    lines.append(
        f"To start over: `{program} demo --fresh`"
        if is_repetition
        else f"`{target}` once more delivers the same feeds again."
    )
    lines.append(f"Another policy: `{program} demo --fresh --policy subscriber_wins`")
    lines.append(f"What else there is: `{program} demo --help`")
    for line in lines:
        console.print(line, soft_wrap=True)


def _databases(folder: Path) -> list[str]:
    """Where the databases are, and how to look into one."""
    files = sorted(folder.glob("*/*.db"))
    names: dict[str, list[str]] = {}
    for file in files:
        names.setdefault(file.parent.name, []).append(file.stem)
    short = _short(folder)
    lines = [f"The databases stay in {short}/"]
    lines += [f"  {name}/{{{','.join(nodes)}}}.db" for name, nodes in names.items()]
    if files:
        query = "select * from replication_conflict limit 3"
        lines.append(f"To look into one: sqlite3 {_short(files[-1])} '{query}'")
    return lines


def _program() -> str:
    """This program, as a person can call it from here."""
    called = Path(sys.argv[0])
    return str(_short(called)) if called.name == PROGRAM else PROGRAM


def _short(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _came_in(intake: Intake) -> Table:
    """What was delivered, and below it all that became of it: that adds up."""
    contents = [
        ("feed rows delivered", intake.delivered),
        ("  second copies", intake.copies),
        (f"  changes taken, in {_transactions(intake)}", intake.taken),
        ("  rows of logical records, unchanged (image)", intake.images),
        ("  waiting for the rest of their transaction", intake.waiting),
        ("  rejected, they break the contract", sum(intake.rejected.values())),
    ]
    table = _table("What came in", "", "number")
    for name, number in contents:
        table.add_row(name, f"{number:,}")
    for reason, number in intake.rejected.items():
        table.add_row(f"    {reason}", f"{number:,}", style="dim")
    return table


def _transactions(intake: Intake) -> str:
    transactions = counted(intake.transactions, "transaction")
    return f"{transactions} and {counted(intake.sessions, 'session')}"


def _outcomes(decided: Decided, publication: NodePublication) -> Table:
    unit = "sessions" if publication.is_merge else "transactions"
    title = f"What was decided in {publication.name}"
    table = _table(title, "outcome", "changes", "in conflict", f"{unit} with it")
    for one in decided.outcomes:
        table.add_row(one.name, *_texts([one.changes, one.conflicts, one.transactions]))
    if decided.replaced:
        table.add_row("(replaced rows)", *_texts([0, decided.replaced, 0]))
    changes = sum(one.changes for one in decided.outcomes)
    conflicts = sum(one.conflicts for one in decided.outcomes) + decided.replaced
    table.add_section()
    table.add_row("all", *_texts([changes, conflicts, decided.transactions]))
    return table


def _surprises(decided: Decided, publisher: str) -> list[str]:
    """What the numbers do not say by themselves."""
    overwritten = counted(decided.overwritten, "change")
    replaced = counted(decided.replaced, "row")
    fallen = counted(decided.fallen, "delete")
    found = {
        f"Also conflicts: {overwritten} of {publisher} that applied over what {publisher} did not"
        " know.": decided.overwritten,
        f"Also conflicts: {replaced} of logical records that lost as a whole.": decided.replaced,
        f"No conflicts: {fallen} rejected with the rest of a transaction; a delete has no data to"
        " lose.": decided.fallen,
    }
    return [line for line, number in found.items() if number]


def _conflicts(lakehouse: Lakehouse, publication: NodePublication) -> Table:
    articles = list(publication.articles)
    counts: dict[tuple[str, str], int] = {}
    query = (
        "select conflict_kind, article, count(*) as number"
        f" from published.conflicts_info where publication = '{publication.name}'"
        " group by conflict_kind, article"
    )
    for row in lakehouse.rows(query):
        counts[str(row["conflict_kind"]), str(row["article"])] = _number(row)
    kinds = [*KINDS, *sorted({kind for kind, _ in counts} - set(KINDS))]
    table = _table(f"Conflicts in {publication.name}", "kind", *articles, "all")
    for kind in kinds:
        numbers = [counts.get((kind, article), 0) for article in articles]
        table.add_row(kind, *_texts([*numbers, sum(numbers)]))
    totals = [sum(counts.get((kind, article), 0) for kind in kinds) for article in articles]
    table.add_section()
    table.add_row("all", *_texts([*totals, sum(totals)]))
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


def _table(title: str, *columns: str, is_text: bool = False) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", min_width=44)
    for place, name in enumerate(columns):
        is_left = is_text or place == 0 or name == "operation"
        table.add_column(name, justify="left" if is_left else "right", overflow="fold")
    return table


def _texts(numbers: Iterable[int]) -> Sequence[str]:
    return [f"{number:,}" if number else "-" for number in numbers]


def _number(row: Mapping[str, object]) -> int:
    return int(str(row["number"]))
