"""Seeded workloads: stories of people at work, on real replicas.

Nothing is stamped as a conflict: each subscriber changes what it holds, hears of the others when it
synchronizes, and conflicts come of that.

``story``      what a story is made of, and what it asks of a node
``rounds``     who works when, and when subscribers upload
``workload``   a story at simulated nodes, delivery by delivery
``faults``     what goes wrong on the way
``files``      deliveries as files
``inventory``  the story of the publication `inventory`: a chain of stores
``field_sales`` the story of the publication `field_sales`: sales people on the road
"""

from replication_conflicts.workload.faults import BrokenRow
from replication_conflicts.workload.files import read_feed, read_rows, write_feed, write_rows
from replication_conflicts.workload.rounds import Round, Rounds
from replication_conflicts.workload.story import Office, Place, Settings, Story
from replication_conflicts.workload.workload import Delivery, Workload

__all__ = [
    "BrokenRow",
    "Delivery",
    "Office",
    "Place",
    "Round",
    "Rounds",
    "Settings",
    "Story",
    "Workload",
    "read_feed",
    "read_rows",
    "write_feed",
    "write_rows",
]
