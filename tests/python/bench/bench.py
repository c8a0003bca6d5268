"""What every case works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from replication_conflicts.dbt_build import BuildResult, NodeResult
from tests.python.bench.machine import traffic
from tests.python.bench.product import BuildFailed, Home, Product
from tests.python.bench.results import Result, seconds
from tests.python.bench.sizes import Sizes
from tests.python.bench.workload import Batch

# models whose time is shown
_SHOWN = 10


@dataclass
class Bench:
    """One case being measured: its sizes, its home, and what it has found so far."""

    home: Home
    sizes: Sizes
    repeats: int
    say: Callable[[str], None]
    products: dict[str, Product]
    results: list[Result] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    slowest: str = ""
    moved: str = ""

    def add(self, result: Result) -> None:
        """Keep a result, and say it."""
        self.results.append(result)
        self.say(
            f"{result.what}: {result.ours}; {result.against}: {result.theirs}; "
            f"ratio {result.ratio:.2f} {result.target} {result.verdict}"
        )

    def note(self, text: str) -> None:
        """Keep a remark, and say it."""
        self.notes.append(text)
        self.say(text)

    def product(self, name: str, rows: int, replication: str = "queued") -> Product:
        """A project with its rows and a first run behind it; cases share those of one name."""
        if name not in self.products:
            self.say(f"{name}: {rows:,} rows")
            product = Product(self.home, f"bench_{name}", rows, replication)
            product.deliver(Batch(self.sizes.warm_up, rows))
            product.build()
            self.products[name] = product
        return self.products[name]

    def median_run(
        self,
        product: Product,
        batch: Batch,
        *,
        commands: bool = False,
        in_emptied_feed: bool = False,
    ) -> float:
        """Seconds of a run over such a batch, measured `repeats` times."""
        return median(
            self.run(product, batch, commands=commands, in_emptied_feed=in_emptied_feed).seconds
            for _ in range(self.repeats)
        )

    def run(
        self,
        product: Product,
        batch: Batch,
        *,
        commands: bool = False,
        in_emptied_feed: bool = False,
    ) -> BuildResult:
        """A batch arrives, and is decided. What must fall fell, and nothing else.

        `in_emptied_feed`: what has been decided leaves the feed before.
        """
        if in_emptied_feed:
            product.empty_feed()
        product.deliver(batch)
        return self.build(product, commands=commands)

    def build(self, product: Product, *, commands: bool = False) -> BuildResult:
        """One run over the batch that has arrived, checked. Errors: BuildFailed."""
        before = traffic(product.spark)
        result = product.build(commands=commands)
        self.moved = traffic(product.spark).since(before).per(product.arrived())
        outcomes = product.outcomes()
        fallen = sum(outcomes.get(name, 0) for name in ("rejected", "lost"))
        counts = ", ".join(f"{count:,} {name}" for name, count in outcomes.items())
        self.say(f"{product.schema}: {seconds(result.seconds)}: {counts}")
        self.slowest = slowest(result.nodes)
        self.say(f"   {self.slowest}")
        self.say(f"   for each change: {self.moved}")
        if (sum(outcomes.values()), fallen) != (product.arrived(), product.stale()):
            raise BuildFailed(
                f"{product.schema}: {product.arrived()} changes arrived, of which "
                f"{product.stale()} had to fall: {outcomes}"
            )
        return result


def slowest(nodes: Sequence[NodeResult]) -> str:
    """The models that took longest, with their seconds."""
    longest = sorted(nodes, key=lambda one: one.seconds, reverse=True)[:_SHOWN]
    return ", ".join(f"{one.name} {one.seconds:.1f}" for one in longest)
