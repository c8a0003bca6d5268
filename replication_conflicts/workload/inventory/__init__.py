"""The story of the publication `inventory`: headquarters and branches of a chain of stores.

``stores``        their tables, what is outside of all databases, what everything starts with
``branches``      what people do in the branches
``headquarters``  what people do at headquarters
``broken``        rows that break the contract of the feed
``words``         texts as people write them
"""

from replication_conflicts.workload.inventory.branches import AT_BRANCHES
from replication_conflicts.workload.inventory.broken import broken_rows
from replication_conflicts.workload.inventory.headquarters import AT_HEADQUARTERS
from replication_conflicts.workload.inventory.stores import PRODUCT, Store, World, initial_stock
from replication_conflicts.workload.story import Story

BRANCHES = ("north", "south", "east", "west")

STORY = Story(
    publication="inventory",
    subscribers={name: {} for name in BRANCHES},
    publisher_share=0.16,
    at_publisher=AT_HEADQUARTERS,
    at_subscribers=AT_BRANCHES,
    make_world=World,
    make_workplace=Store,
    initial_rows=initial_stock,
    broken_rows=broken_rows,
    known_article=PRODUCT,
    size=120,
)

__all__ = ["BRANCHES", "STORY"]
