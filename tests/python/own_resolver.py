"""The documented resolver of a project's own as a case, with conflicts for it to decide."""

from __future__ import annotations

import re
from typing import Any

import yaml

from tests.python.documents import example_files, section
from tests.python.merge_example import net_change
from tests.python.sequential_reader import FeedRow
from tests.python.strategies.cases import Case, Delivery

DOCUMENT = "docs/resolvers.md"
HEADING = "A resolver of your own"
OPEN, CLOSED = "open", "closed"


def configured_articles() -> dict[str, Any]:
    """The articles as the document configures them."""
    block = re.search(r"^```yaml\n(.*?)^```$", section(DOCUMENT, HEADING), re.DOTALL | re.MULTILINE)
    assert block is not None
    articles: dict[str, Any] = yaml.safe_load(block[1])["articles"]
    return articles


def ticket(position: int, node: str, key: int, status: str | None, note: str) -> FeedRow:
    """An update of a ticket by a node that has seen its initial row."""
    return net_change("ticket", key, position, node, "update", status=status, note=note)


def own_resolver_case() -> Case:
    """Tickets, all open at first; north has the higher priority.

    1: closed by the second; 2: closed by the first; 3: open on both sides; 4: closed on both sides;
    5: deleted, then closed; 6: closed, then deleted; 7: without a status, then closed.
    And without a conflict: 8 leaves the south's partition; 9 is inserted by south outside of it.
    """
    articles = configured_articles()
    own = {"ticket": articles["ticket"].pop("resolver")}
    articles["ticket"] |= {
        "initial_snapshot": True,
        "row_filter": {"south": "note <> 'not for south'"},
        "compensate_for_errors": True,
    }
    rows = (
        ticket(1, "north", 1, OPEN, "north asks"),
        ticket(2, "south", 1, CLOSED, "south is done"),
        ticket(3, "south", 2, CLOSED, "south is done"),
        ticket(4, "north", 2, OPEN, "north asks"),
        ticket(5, "south", 3, OPEN, "south asks"),
        ticket(6, "north", 3, OPEN, "north asks"),
        ticket(7, "north", 4, CLOSED, "north is done"),
        ticket(8, "south", 4, CLOSED, "south is done"),
        net_change("ticket", 5, 9, "north", "delete"),
        ticket(10, "south", 5, CLOSED, "south is done"),
        ticket(11, "south", 6, CLOSED, "south is done"),
        net_change("ticket", 6, 12, "north", "delete"),
        ticket(13, "north", 7, None, "north asks"),
        ticket(14, "south", 7, CLOSED, "south is done"),
        ticket(15, "north", 8, OPEN, "not for south"),
        net_change("ticket", 9, 16, "south", "insert", status=OPEN, note="not for south"),
    )
    initial = [
        {"ticket_id": key, "status": OPEN, "note": "new", "row_version": f"HQ:{key}"}
        for key in range(1, 9)
    ]
    return Case(
        label="a resolver of the project's own",
        configuration={"replication": "merge", "publisher": "HQ", "articles": articles},
        subscribers=("north", "south"),
        initial={"ticket": initial},
        deliveries=(Delivery(rows),),
        steps=(),
        is_cut_free=True,
        subscriptions={"north": {"priority": 75}, "south": {"priority": 50}},
        own_resolvers=own,
        files=example_files(DOCUMENT),
    )
