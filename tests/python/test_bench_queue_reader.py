"""The row-by-row reader that the benchmark compares with, on a PostgreSQL server of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from replication_conflicts.database.local_postgres import LocalPostgres, programs
from tests.python.bench.peers.queue_reader import QueueReader

pytestmark = pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")

ROWS = """\
1,one,1,2.50,note,2026-01-01T00:00:00.000Z,a
2,two,1,2.50,note,2026-01-01T00:00:00.000Z,b
3,three,1,2.50,note,2026-01-01T00:00:00.000Z,c
"""

# a clean transaction, a stale one with a clean change in it, and one on the first one's version
QUEUE = """\
1,t1,update,a,a2,1,one,5,2.50,note,2026-01-01T00:00:00.000Z
2,t1,insert,,d,4,four,5,2.50,note,2026-01-01T00:00:00.000Z
3,t2,update,c,c2,3,three,6,2.50,note,2026-01-01T00:00:00.000Z
4,t2,update,stale,b2,2,two,6,2.50,note,2026-01-01T00:00:00.000Z
5,t3,delete,a2,,1,one,7,2.50,note,2026-01-01T00:00:00.000Z
"""


class Exports:
    """Gives the reader its rows and its queue, as the pipeline's project does."""

    @property
    def versions(self) -> str:
        return "published"

    def new_changes(self, most: int) -> str:
        return f"the first {most}"

    def export(self, query: str, folder: Path) -> list[Path]:
        folder.mkdir()
        file = folder / "part.csv"
        file.write_text(ROWS if self.versions in query else QUEUE, encoding="utf-8")
        return [file]


@pytest.fixture
def server() -> Iterator[LocalPostgres]:
    with LocalPostgres(is_durable=False) as running:
        yield running


def test_the_reader_decides_whole_transactions(server: LocalPostgres) -> None:
    reader = QueueReader(server.url())
    reader.take(Exports(), 5)
    _, counts = reader.run()
    assert counts == {"applied": 3, "rejected": 2}
    with psycopg.connect(server.url().replace("+psycopg", "")) as connection:
        held = connection.execute("select item_id, row_version from item order by 1").fetchall()
        lost = connection.execute(
            "select item_id, quantity, conflict_kind from conflict_item order by queue_position"
        ).fetchall()
        progress = connection.execute("select queue_position from progress").fetchall()
    assert held == [(2, "b"), (3, "c"), (4, "d")]
    assert lost == [(3, 6, "condemned"), (2, 6, "update_update")]
    assert progress == [(5,)]
