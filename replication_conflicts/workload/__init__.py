"""Seeded workloads: stories of people at work, on real replicas.

Nothing is stamped as a conflict: each subscriber changes what it holds, hears of the others when it
synchronizes, and conflicts come of that.

``story``      what a story is made of, and what it asks of a node
``rounds``     who works when, and when subscribers upload
``faults``     what goes wrong on the way
``inventory``  the story of the publication `inventory`: a chain of stores
``field_sales`` the story of the publication `field_sales`: sales people on the road
"""

from replication_conflicts.workload.faults import BrokenRow
from replication_conflicts.workload.rounds import Round, Rounds
from replication_conflicts.workload.story import Office, Settings, Story, Workplace

__all__ = [
    "BrokenRow",
    "Office",
    "Round",
    "Rounds",
    "Settings",
    "Story",
    "Workplace",
]
