"""Subscriptions of merge replication: types, priorities, republishers, and what must not be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.python.sequential_reader.publication import Publication
    from tests.python.sequential_reader.records import Change

SERVER, CLIENT = "server", "client"
DEFAULT_PRIORITY = Decimal("75.00")
HIGHEST = Decimal("99.99")
PUBLISHERS_PRIORITY = Decimal("100.00")
COLUMN_ONLY = ("additive", "averaging", "additive_delta", "merge_text")


class ConfigurationRefused(Exception):
    """A configuration that stops the run before anything is written."""


@dataclass(frozen=True)
class Subscription:
    """A subscriber's membership; the priority of a client is not its own."""

    type: str = SERVER
    priority: Decimal = DEFAULT_PRIORITY
    republisher: bool = False
    below: str | None = None

    @property
    def is_direct_client(self) -> bool:
        """A client of the publisher: its changes count as the publisher's once they applied."""
        return self.type == CLIENT and self.below is None


def read_subscription(options: Mapping[str, Any] | None) -> Subscription:
    """A subscription in the form of a suite or of the relation `subscriptions`."""
    options = options or {}
    return Subscription(
        type=options.get("type") or SERVER,
        priority=Decimal(str(options.get("priority", DEFAULT_PRIORITY))),
        republisher=bool(options.get("republisher")),
        below=options.get("below"),
    )


def contending_priority(publication: Publication, change: Change) -> Decimal:
    """The priority that a change contends with, by the subscriptions as they are now.

    The publisher's: 100; a client's: 0; a server subscription's: stamped when the change was made,
    else the subscription's.  The change of a client below a republisher is the republisher's.
    """
    node = str(change.node)
    subscription = publication.subscriptions.get(node)
    if subscription is None:
        return PUBLISHERS_PRIORITY
    if subscription.is_direct_client:
        return Decimal(0)
    if change.stamped_priority is not None:
        return change.stamped_priority
    if subscription.type == CLIENT and subscription.below is not None:
        subscription = publication.subscriptions[subscription.below]
    return subscription.priority


def problems(publication: Publication) -> list[str]:
    """What is wrong with a merge publication and its subscriptions; each names what it is about."""
    found = []
    for name, subscription in publication.subscriptions.items():
        if subscription.type not in (SERVER, CLIENT):
            found.append(f"subscription {name}: type {subscription.type} is neither of both")
        if not 0 <= subscription.priority <= HIGHEST:
            found.append(f"subscription {name}: priority {subscription.priority} is not below 100")
        if subscription.republisher and subscription.type != SERVER:
            found.append(f"subscription {name}: a republisher must be a server subscription")
        if subscription.below is not None:
            above = publication.subscriptions.get(subscription.below)
            if above is None or not above.republisher:
                found.append(f"subscription {name}: {subscription.below} is no republisher")
            elif subscription.republisher and subscription.priority >= above.priority:
                found.append(f"subscription {name}: its priority is not below {above.priority}")
            if subscription.type != CLIENT and not subscription.republisher:
                found.append(f"subscription {name}: a leaf must be a client subscription")
    for record in publication.logical_records:
        if record.detection and not record.resolution:
            found.append(f"logical record {record.top}: detection needs resolution")
        for name in record.articles:
            if publication.articles[name].resolver.name != "priority":
                found.append(f"article {name}: only the default resolver in a logical record")
    for name, article in publication.articles.items():
        if article.resolver.name in COLUMN_ONLY and not article.is_column_tracked:
            found.append(f"article {name}: {article.resolver.name} needs column tracking")
    return found
