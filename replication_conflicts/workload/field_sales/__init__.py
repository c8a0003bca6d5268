"""The story of the publication `field_sales`: sales people on the road, and their headquarters.

``accounts``      their tables, what is outside of all databases, what everything starts with
``sellers``       what people do on the road
``headquarters``  what people do at headquarters
``words``         texts as people write them
"""

from datetime import datetime

from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.workload.faults import BrokenRow
from replication_conflicts.workload.field_sales.accounts import (
    CUSTOMER,
    Desk,
    World,
    initial_accounts,
)
from replication_conflicts.workload.field_sales.headquarters import AT_HEADQUARTERS
from replication_conflicts.workload.field_sales.sellers import ON_THE_ROAD
from replication_conflicts.workload.story import Story

SUBSCRIPTIONS: dict[str, dict[str, object]] = {
    "berlin": {"type": "server", "priority": 75},
    "lyon": {"type": "server", "priority": 50},
    # whoever synchronizes it first decides: what it has uploaded then stands for headquarters
    "tablet": {"type": "client"},
}


def no_broken_rows(
    delivery: int, node: str, now: datetime, known: FeedRow | None
) -> list[BrokenRow]:
    """Nothing that breaks the contract: other stories show that."""
    return []


STORY = Story(
    publication="field_sales",
    subscribers=SUBSCRIPTIONS,
    publisher_share=0.2,
    at_publisher=AT_HEADQUARTERS,
    at_subscribers=ON_THE_ROAD,
    make_world=World,
    make_workplace=Desk,
    initial_rows=initial_accounts,
    broken_rows=no_broken_rows,
    known_article=CUSTOMER,
    size=120,
    share=0.1,
)

__all__ = ["STORY", "SUBSCRIPTIONS"]
