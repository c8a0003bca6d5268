"""An independent sequential queue reader: what the pipeline claims to equal.

Plain dictionaries and loops, one transaction at a time, in the order of the queue.  Nothing here is
shared with the project: a rule that is wrong in both places had to be misread twice.

``publication``   the configuration as this reader understands it
``contract``      what comes in: copies, complete transactions, changes that break the contract
``queued``        queued updating: how one transaction is decided
``constraints``   keys and checks, judged at the end of a transaction
``commands``      what every subscriber is told to do
``merge``         merge replication: how one change is decided; ``merge_state`` is what is kept of
                  a row, ``merge_session`` decides a whole session, ``merge_records`` the logical
                  records in it
``resolvers``     who wins a conflict, or what both sides make
``retention``     how long the record of a conflict is kept
``interventions`` refused commands and decisions of people
``reader``        the loop over runs, and subscriptions that wait for their reinitialization
"""

from tests.python.sequential_reader.publication import Article, Publication
from tests.python.sequential_reader.reader import PolicyChangeRefused, SequentialReader
from tests.python.sequential_reader.records import (
    ApplyError,
    Change,
    Command,
    Conflict,
    ConflictDecision,
    Event,
    FeedRow,
    Held,
    Key,
    Outcome,
    Rejection,
    Row,
    SubscriptionStatus,
)
from tests.python.sequential_reader.subscriptions import ConfigurationRefused

__all__ = [
    "ApplyError",
    "Article",
    "Change",
    "Command",
    "ConfigurationRefused",
    "Conflict",
    "ConflictDecision",
    "Event",
    "FeedRow",
    "Held",
    "Key",
    "Outcome",
    "PolicyChangeRefused",
    "Publication",
    "Rejection",
    "Row",
    "SequentialReader",
    "SubscriptionStatus",
]
