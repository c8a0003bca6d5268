"""The demo's story at databases, with the sequential reader in the pipeline's place: no Spark."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from replication_conflicts.database.articles import node_publication
from replication_conflicts.demo.publications import (
    STORIES,
    is_queued,
    publication_options,
)
from replication_conflicts.demo.site import Links, Site
from replication_conflicts.publication.publication import POLICIES
from replication_conflicts.workload import Settings, Story
from tests.python.nodes_loop.databases import Databases
from tests.python.nodes_loop.lake import Lake, Publisher, Source

PROJECT = Path(__file__).parents[3]
TRANSACTIONS = 300
DELIVERIES = 2


class World:
    """A site, and the publisher that answers it."""

    def __init__(self, databases: Databases, folder: Path, story: Story, policy: str) -> None:
        options = publication_options(PROJECT, policy)
        self.publication = node_publication(story.publication, options)
        # as many for every story, however small its share of a demo is
        settings = Settings(round(TRANSACTIONS / story.share), DELIVERIES, seed=9, size=30)
        self.site = Site(story, self.publication, settings)
        self.lake = Lake(folder / "lake.db").make()
        initial: dict[str, list[dict[str, Any]]] = {}
        for stored in self.site.initial:
            row = {**stored.row, "row_version": stored.version}
            initial.setdefault(stored.article, []).append(row)
        self.publisher = Publisher(
            self.lake, self.publication, options[story.publication], story.subscribers, initial
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
        done = self.site.distribute(Links(sources, sources, self.lake))
        assert not any(summary.refused for summary in done.values())

    def finish(self) -> None:
        """All rounds, and as many closing ones as are needed."""
        for _ in range(DELIVERIES + 1):
            self.round()
        while self.site.has_pending or self.publisher.has_news:
            self.round()


def plays() -> list[tuple[Story, str]]:
    """Every story, under every policy where its publication has one."""
    options = publication_options(PROJECT)
    return [
        (story, policy)
        for story in STORIES
        for policy in (POLICIES if is_queued(options[story.publication]) else POLICIES[:1])
    ]


@pytest.mark.parametrize(
    ("story", "policy"), plays(), ids=lambda one: getattr(one, "publication", one)
)
def test_databases_end_equal_to_the_published_rows(
    databases: Databases, tmp_path: Path, story: Story, policy: str
) -> None:
    world = World(databases, tmp_path, story, policy)
    world.finish()
    published = world.publisher.published()
    for node in world.site.nodes:
        assert world.site.held(node) == published, node
    kinds = Counter(one.kind for one in world.publisher.reader.conflicts)
    assert kinds["update_update"]
    assert kinds["insert_insert"]
    assert world.publisher.reader.rejected == []
    world.site.close()
