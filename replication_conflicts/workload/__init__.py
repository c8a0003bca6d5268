"""A seeded workload for the publication `inventory`: headquarters and branches at work, on real
replicas.

Nothing is stamped as a conflict: each branch changes what it holds, hears of the others when it
synchronizes, and conflicts come of that.
"""

from replication_conflicts.workload.faults import BrokenRow
from replication_conflicts.workload.files import read_feed, read_rows, write_feed, write_rows
from replication_conflicts.workload.workload import BRANCHES, Delivery, Settings, Workload

__all__ = [
    "BRANCHES",
    "BrokenRow",
    "Delivery",
    "Settings",
    "Workload",
    "read_feed",
    "read_rows",
    "write_feed",
    "write_rows",
]
