"""What headquarters and branches of the chain have in common: their tables, what is outside of all
databases, and what everything starts with.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from replication_conflicts.publication.values import Row
from replication_conflicts.simulation import Change
from replication_conflicts.workload.inventory import words
from replication_conflicts.workload.story import Changes, Workplace, part

PRODUCT = "product"
LEVEL = "stock_level"
MOVEMENT = "stock_movement"

# beyond 2^53, where a float would no longer tell two numbers apart
FIRST_DOCKET = 9_007_199_254_740_993
FIRST_CATALOG_NUMBER = 5_000
# an activity that takes away a product or a shelf leaves those alone that are in use this much
FEW_MOVEMENTS = 6


@dataclass
class Docket:
    """A transfer between two branches, on paper: both ends may write it down under its number."""

    number: int
    sender: str
    receiver: str
    sku: str
    quantity: Decimal


@dataclass
class World:
    """What exists outside the databases: branches, the suppliers' catalog, dockets on their way."""

    branches: tuple[str, ...]
    next_docket: int = FIRST_DOCKET
    next_catalog_number: int = FIRST_CATALOG_NUMBER
    dockets: list[Docket] = field(default_factory=list)


@dataclass
class Store(Workplace):
    """Headquarters or a branch; its name is the branch's code as well."""

    next_movement: int = 1
    voided: list[Row] = field(default_factory=list)
    closed: list[Row] = field(default_factory=list)

    def movement_id(self) -> int:
        """A number from the place's own range."""
        self.next_movement += 1
        return self.number * 10**12 + self.next_movement

    def own_levels(self) -> list[Row]:
        """The shelves of this branch."""
        return [row for row in self.node.rows(LEVEL) if row["branch_code"] == self.name]

    def own_movements(self) -> list[Row]:
        """What this branch wrote down."""
        return [row for row in self.node.rows(MOVEMENT) if row["branch_code"] == self.name]

    def movements_of(self, sku: object, branch: object = None) -> list[Row]:
        """The movements of a product, in one branch or all."""
        return [
            row
            for row in self.node.rows(MOVEMENT)
            if row["sku"] == sku and branch in (None, row["branch_code"])
        ]


def initial_stock(
    rng: random.Random, world: World, products: int, now: datetime
) -> dict[str, list[Row]]:
    """What every node holds at the start: products, a shelf of each in every branch, some
    movements.
    """
    names = [words.sku(number) for number in range(products)]
    levels: list[Row] = []
    movements: list[Row] = []
    for name in names:
        for branch in world.branches:
            counted = (
                None if rng.random() < 0.3 else now - timedelta(microseconds=rng.randrange(10**12))
            )
            levels.append(
                {
                    "branch_code": branch,
                    "sku": name,
                    "quantity": Decimal(rng.randrange(0, 90_000)) / 1000,
                    "reorder_point": None if rng.random() < 0.2 else rng.randrange(5, 80),
                    "note": words.note(rng),
                    "counted_at": counted,
                }
            )
    for number in range(products):
        level = rng.choice(levels)
        movements.append(
            {
                "movement_id": 10**9 + number,
                "branch_code": level["branch_code"],
                "sku": level["sku"],
                "quantity": Decimal(rng.randrange(-9_000, 60_000)) / 1000,
                "reason": words.reason(rng, False),
                "moved_at": now - timedelta(microseconds=rng.randrange(10**12)),
            }
        )
    return {
        PRODUCT: [new_product(rng, name, now) for name in names],
        LEVEL: levels,
        MOVEMENT: movements,
    }


def new_product(rng: random.Random, sku: str, now: datetime) -> Row:
    """A product as somebody would enter it."""
    return {
        "sku": sku,
        "name": words.product_name(rng),
        "unit_price": None if rng.random() < 0.1 else Decimal(rng.randrange(5, 40_000)) / 100,
        "is_active": None if rng.random() < 0.05 else rng.random() < 0.9,
        "introduced_on": None
        if rng.random() < 0.1
        else (now - timedelta(days=rng.randrange(4_000))).date(),
    }


def from_catalog(place: Store, world: World) -> Row | None:
    """A product that this place does not know; None where it knows what the catalog has."""
    # the catalog's current page is open everywhere; it is turned now and then
    if place.rng.random() < 0.5:
        world.next_catalog_number += 1
    sku = words.sku(world.next_catalog_number)
    return None if place.holds(PRODUCT, sku) else new_product(place.rng, sku, place.now)


def shelf(place: Store, branch: str, sku: object) -> Change:
    """An empty shelf for a product."""
    values = {
        "branch_code": branch,
        "sku": sku,
        "quantity": Decimal(0),
        "reorder_point": None,
        "note": words.note(place.rng),
        "counted_at": None,
    }
    return Change("insert", LEVEL, values)


def move(
    place: Store, level: Row, quantity: Decimal, reason: str | None, number: int | None = None
) -> Changes:
    """Goods come or go: the movement, and the shelf."""
    movement = {
        "movement_id": number or place.movement_id(),
        "branch_code": place.name,
        "sku": level["sku"],
        "quantity": quantity,
        "reason": reason,
        "moved_at": place.moment(),
    }
    return [Change("insert", MOVEMENT, movement), set_quantity(level, quantity)]


def set_quantity(level: Row, more: Decimal) -> Change:
    """What is on the shelf then."""
    quantity = decimal_of(level["quantity"]) + more
    return Change("update", LEVEL, part(level, "branch_code", "sku") | {"quantity": quantity})


def text_of(value: object) -> str:
    """A text; nothing is an empty one."""
    return "" if value is None else str(value)


def decimal_of(value: object) -> Decimal:
    """A number; nothing is zero."""
    return value if isinstance(value, Decimal) else Decimal(0)
