"""The demo's story at databases, with the sequential reader in the pipeline's place: no Spark."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from replication_conflicts.demo.site import Links, Site
from replication_conflicts.distribution.articles import node_publication
from replication_conflicts.workload import Settings
from replication_conflicts.workload.inventory import STORY
from tests.python.demo_loop import POLICIES, configuration
from tests.python.nodes_loop.databases import Databases
from tests.python.nodes_loop.lake import Lake, Publisher, Source

SETTINGS = Settings(transactions=300, deliveries=2, seed=9, size=30)


class World:
    """A site, and the publisher that answers it."""

    def __init__(self, databases: Databases, folder: Path, policy: str) -> None:
        options: dict[str, Any] = {"inventory": configuration(policy)}
        self.publication = node_publication("inventory", options)
        self.site = Site(STORY, self.publication, SETTINGS)
        self.lake = Lake(folder / "lake.db").make()
        initial: dict[str, list[dict[str, Any]]] = {}
        for stored in self.site.initial:
            row = {**stored.row, "row_version": stored.version}
            initial.setdefault(stored.article, []).append(row)
        self.publisher = Publisher(
            self.lake, self.publication, options["inventory"], STORY.subscribers, initial
        )
        self.site.open(lambda _, node: databases.make(node))

    def round(self) -> None:
        """Work, uploads, a run, distribution."""
        played = self.site.work()
        self.site.upload(self.lake)
        self.publisher.run()
        sources = {
            node: Source(self.publisher, self.publication, node)
            for node in self.site.places(played.online)
        }
        done = self.site.distribute(Links(sources, sources["HQ"], self.lake))
        assert not any(summary.refused for summary in done.values())

    def finish(self) -> None:
        """All rounds, and as many closing ones as are needed."""
        for _ in range(SETTINGS.deliveries + 1):
            self.round()
        while self.site.has_pending or self.publisher.has_news:
            self.round()


@pytest.mark.parametrize("policy", POLICIES)
def test_databases_end_equal_to_the_published_rows(
    databases: Databases, tmp_path: Path, policy: str
) -> None:
    world = World(databases, tmp_path, policy)
    world.finish()
    published = world.publisher.published()
    for node in world.site.nodes:
        assert world.site.held(node) == published, node
    kinds = Counter(one.kind for one in world.publisher.reader.conflicts)
    assert kinds["update_update"]
    assert kinds["insert_insert"]
    assert world.publisher.reader.rejected == []
    world.site.close()
