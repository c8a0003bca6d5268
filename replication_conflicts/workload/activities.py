"""What people do at headquarters and in the branches: each activity is one transaction.

An activity looks only at the rows that its own node holds. It gives the changes to make, or nothing
where there is nothing to do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from replication_conflicts.nodes import Change, Node, Row
from replication_conflicts.workload import words

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
class Place:
    """A node, the people at it, and what they remember."""

    node: Node
    number: int
    rng: random.Random
    skew: timedelta
    now: datetime
    next_movement: int = 1
    voided: list[Row] = field(default_factory=list)
    closed: list[Row] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The node's name, which is a branch's code as well."""
        return self.node.name

    def moment(self) -> datetime:
        """The time by the node's own clock, to the microsecond."""
        return self.now + self.skew + timedelta(microseconds=self.rng.randrange(1_000_000))

    def movement_id(self) -> int:
        """A number from the place's own range."""
        self.next_movement += 1
        return self.number * 10**12 + self.next_movement

    def one(self, rows: list[Row]) -> Row | None:
        """One of the rows, early ones more often: some goods sell better than others."""
        return rows[int(len(rows) * self.rng.random() ** 1.3)] if rows else None

    def recent(self, rows: list[Row]) -> Row | None:
        """One of the rows, late ones more often."""
        return rows[-1 - int(len(rows) * self.rng.random() ** 3)] if rows else None

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

    def holds(self, article: str, *key: object) -> bool:
        """Whether the node has this row."""
        return self.node.held(article, key) is not None  # type: ignore[arg-type]


Changes = list[Change]
Activity = Callable[[Place, World], Changes]


# --- branches


def sell(place: Place, world: World) -> Changes:
    """Goods leave: the movement, and what is left on the shelf."""
    level = place.one(place.own_levels())
    return _move(place, level, -_amount(place, 8), words.reason(place.rng, True)) if level else []


def receive(place: Place, world: World) -> Changes:
    """Goods arrive."""
    level = place.one(place.own_levels())
    return _move(place, level, _amount(place, 60), words.reason(place.rng, False)) if level else []


def count(place: Place, world: World) -> Changes:
    """Somebody counts a shelf; what is there replaces what was thought to be there."""
    level = place.one(place.own_levels())
    if level is None:
        return []
    values = {
        "quantity": _amount(place, 90),
        "counted_at": place.moment(),
        "note": words.note(place.rng),
    }
    return [Change("update", LEVEL, _key(level, "branch_code", "sku") | values)]


def remark(place: Place, world: World) -> Changes:
    """A note on a shelf, now and then on another branch's."""
    levels = place.node.rows(LEVEL) if place.rng.random() < 0.15 else place.own_levels()
    level = place.one(levels)
    if level is None:
        return []
    return [
        Change("update", LEVEL, _key(level, "branch_code", "sku") | {"note": words.note(place.rng)})
    ]


def correct_movement(place: Place, world: World) -> Changes:
    """A movement's reason is written better."""
    movement = place.recent(place.own_movements())
    if movement is None:
        return []
    reason = f"{_text(movement['reason']) or 'no reason'}, checked"[:60]
    return [Change("update", MOVEMENT, _key(movement, "movement_id") | {"reason": reason})]


def void_movement(place: Place, world: World) -> Changes:
    """A movement that never was: the row goes, and the shelf gets back what it took."""
    movement = place.recent(place.own_movements())
    if movement is None:
        return []
    changes = [Change("delete", MOVEMENT, _key(movement, "movement_id"))]
    level = place.node.held(LEVEL, (movement["branch_code"], movement["sku"]))
    if level is not None:
        changes.append(_set_quantity(level.row, -_decimal(movement["quantity"])))
    place.voided.append(movement)
    return changes


def restore_movement(place: Place, world: World) -> Changes:
    """It was right after all: the same row again."""
    if not place.voided:
        return []
    movement = place.voided.pop()
    level = place.node.held(LEVEL, (movement["branch_code"], movement["sku"]))
    if level is None or place.holds(MOVEMENT, movement["movement_id"]):
        return []
    return [
        Change("insert", MOVEMENT, movement),
        _set_quantity(level.row, _decimal(movement["quantity"])),
    ]


def renumber_movement(place: Place, world: World) -> Changes:
    """A wrong number: the primary key changes."""
    movement = place.recent(place.own_movements())
    if movement is None:
        return []
    return [
        Change("delete", MOVEMENT, _key(movement, "movement_id")),
        Change("insert", MOVEMENT, {**movement, "movement_id": place.movement_id()}),
    ]


def send(place: Place, world: World) -> Changes:
    """Goods go to another branch under a docket's number."""
    level = place.one(place.own_levels())
    if level is None:
        return []
    others = [name for name in world.branches if name != place.name]
    docket = Docket(
        world.next_docket,
        place.name,
        place.rng.choice(others),
        str(level["sku"]),
        _amount(place, 20),
    )
    world.next_docket += 1
    world.dockets.append(docket)
    return _move(place, level, -docket.quantity, f"to {docket.receiver}", docket.number)


def take_in(place: Place, world: World) -> Changes:
    """Goods from another branch: who has not heard of the docket writes it down under its number,
    too.
    """
    mine = [docket for docket in world.dockets if docket.receiver == place.name]
    if not mine:
        return []
    docket = mine[0]
    world.dockets.remove(docket)
    level = place.node.held(LEVEL, (place.name, docket.sku))
    if level is None or place.holds(MOVEMENT, docket.number):
        return []
    return _move(place, level.row, docket.quantity, f"from {docket.sender}", docket.number)


def describe_product(place: Place, world: World) -> Changes:
    """A branch finds a better name for a product."""
    product = place.one(place.node.rows(PRODUCT))
    if product is None:
        return []
    return [
        Change("update", PRODUCT, _key(product, "sku") | {"name": words.product_name(place.rng)})
    ]


def list_product(place: Place, world: World) -> Changes:
    """A product from the suppliers' catalog, with this branch's shelf; two branches may list the
    same one.
    """
    product = _from_catalog(place, world)
    if product is None:
        return []
    return [Change("insert", PRODUCT, product), _shelf(place, place.name, product["sku"])]


def close_shelf(place: Place, world: World) -> Changes:
    """A shelf is given up, with what was written down about it."""
    level = place.one(list(reversed(place.own_levels())))
    if level is None:
        return []
    movements = place.movements_of(level["sku"], place.name)
    if len(movements) > FEW_MOVEMENTS:
        return []
    place.closed.append(level)
    changes = [Change("delete", MOVEMENT, _key(row, "movement_id")) for row in movements]
    return [*changes, Change("delete", LEVEL, _key(level, "branch_code", "sku"))]


def reopen_shelf(place: Place, world: World) -> Changes:
    """The same shelf again, if the product still is there."""
    if not place.closed:
        return []
    level = place.closed.pop()
    if place.holds(LEVEL, level["branch_code"], level["sku"]) or not place.holds(
        PRODUCT, level["sku"]
    ):
        return []
    return [Change("insert", LEVEL, {**level, "quantity": Decimal(0), "counted_at": None})]


# --- headquarters


def set_price(place: Place, world: World) -> Changes:
    """A price; NULL where it is on request."""
    product = place.one(place.node.rows(PRODUCT))
    if product is None:
        return []
    price = None if place.rng.random() < 0.1 else _amount(place, 400, places=2)
    return [Change("update", PRODUCT, _key(product, "sku") | {"unit_price": price})]


def plan_stock(place: Place, world: World) -> Changes:
    """How low a shelf may get before more is ordered."""
    level = place.one(place.node.rows(LEVEL))
    if level is None:
        return []
    point = None if place.rng.random() < 0.1 else place.rng.randrange(5, 80)
    return [Change("update", LEVEL, _key(level, "branch_code", "sku") | {"reorder_point": point})]


def audit(place: Place, world: World) -> Changes:
    """An auditor's count, of one product in all branches."""
    product = place.one(place.node.rows(PRODUCT))
    if product is None:
        return []
    levels = [row for row in place.node.rows(LEVEL) if row["sku"] == product["sku"]]
    now = place.moment()
    return [
        Change(
            "update",
            LEVEL,
            _key(row, "branch_code", "sku") | {"quantity": _amount(place, 90), "counted_at": now},
        )
        for row in levels
    ]


def annotate(place: Place, world: World) -> Changes:
    """The books' remark on a movement."""
    movement = place.recent(place.node.rows(MOVEMENT))
    if movement is None:
        return []
    reason = f"{_text(movement['reason'])} (booked)"[-60:]
    return [Change("update", MOVEMENT, _key(movement, "movement_id") | {"reason": reason})]


def purge(place: Place, world: World) -> Changes:
    """Movements that the books no longer need."""
    rows = place.node.rows(MOVEMENT)
    chosen = place.rng.sample(rows, min(len(rows), place.rng.randrange(1, 4)))
    return [Change("delete", MOVEMENT, _key(row, "movement_id")) for row in chosen]


def introduce(place: Place, world: World) -> Changes:
    """A product from the suppliers' catalog, with a shelf in every branch."""
    product = _from_catalog(place, world)
    if product is None:
        return []
    shelves = [_shelf(place, branch, product["sku"]) for branch in world.branches]
    return [Change("insert", PRODUCT, product), *shelves]


def delist(place: Place, world: World) -> Changes:
    """A product goes, with all that hangs on it."""
    product = place.one(list(reversed(place.node.rows(PRODUCT))))
    if product is None:
        return []
    movements = place.movements_of(product["sku"])
    if len(movements) > FEW_MOVEMENTS:
        return []
    levels = [row for row in place.node.rows(LEVEL) if row["sku"] == product["sku"]]
    return [
        *(Change("delete", MOVEMENT, _key(row, "movement_id")) for row in movements),
        *(Change("delete", LEVEL, _key(row, "branch_code", "sku")) for row in levels),
        Change("delete", PRODUCT, _key(product, "sku")),
    ]


def rename_sku(place: Place, world: World) -> Changes:
    """A supplier renames a product: primary keys change in two articles, and movements follow."""
    product = place.one(list(reversed(place.node.rows(PRODUCT))))
    if product is None:
        return []
    movements = place.movements_of(product["sku"])
    new_sku = f"{_text(product['sku'])}/n"
    if len(movements) > FEW_MOVEMENTS or place.holds(PRODUCT, new_sku):
        return []
    changes = [Change("insert", PRODUCT, {**product, "sku": new_sku})]
    for row in place.node.rows(LEVEL):
        if row["sku"] == product["sku"]:
            changes.append(Change("delete", LEVEL, _key(row, "branch_code", "sku")))
            changes.append(Change("insert", LEVEL, {**row, "sku": new_sku}))
    for row in movements:
        changes.append(Change("update", MOVEMENT, _key(row, "movement_id") | {"sku": new_sku}))
    return [*changes, Change("delete", PRODUCT, _key(product, "sku"))]


AT_BRANCHES: Mapping[Activity, int] = {
    sell: 34,
    receive: 16,
    count: 12,
    remark: 6,
    correct_movement: 7,
    void_movement: 5,
    restore_movement: 2,
    renumber_movement: 2,
    send: 4,
    take_in: 4,
    describe_product: 2,
    list_product: 2,
    close_shelf: 1,
    reopen_shelf: 2,
}
AT_HEADQUARTERS: Mapping[Activity, int] = {
    set_price: 36,
    plan_stock: 9,
    audit: 1,
    annotate: 12,
    purge: 12,
    introduce: 8,
    delist: 1,
    rename_sku: 1,
}


# --- what they are made of


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
        PRODUCT: [_product(rng, name, now) for name in names],
        LEVEL: levels,
        MOVEMENT: movements,
    }


def _product(rng: random.Random, sku: str, now: datetime) -> Row:
    return {
        "sku": sku,
        "name": words.product_name(rng),
        "unit_price": None if rng.random() < 0.1 else Decimal(rng.randrange(5, 40_000)) / 100,
        "is_active": None if rng.random() < 0.05 else rng.random() < 0.9,
        "introduced_on": None
        if rng.random() < 0.1
        else (now - timedelta(days=rng.randrange(4_000))).date(),
    }


def _from_catalog(place: Place, world: World) -> Row | None:
    # the catalog's current page is open everywhere; it is turned now and then
    if place.rng.random() < 0.5:
        world.next_catalog_number += 1
    sku = words.sku(world.next_catalog_number)
    return None if place.holds(PRODUCT, sku) else _product(place.rng, sku, place.now)


def _shelf(place: Place, branch: str, sku: object) -> Change:
    values = {
        "branch_code": branch,
        "sku": sku,
        "quantity": Decimal(0),
        "reorder_point": None,
        "note": words.note(place.rng),
        "counted_at": None,
    }
    return Change("insert", LEVEL, values)


def _move(
    place: Place, level: Row, quantity: Decimal, reason: str | None, number: int | None = None
) -> Changes:
    movement = {
        "movement_id": number or place.movement_id(),
        "branch_code": place.name,
        "sku": level["sku"],
        "quantity": quantity,
        "reason": reason,
        "moved_at": place.moment(),
    }
    return [Change("insert", MOVEMENT, movement), _set_quantity(level, quantity)]


def _set_quantity(level: Row, more: Decimal) -> Change:
    quantity = _decimal(level["quantity"]) + more
    return Change("update", LEVEL, _key(level, "branch_code", "sku") | {"quantity": quantity})


def _key(row: Row, *columns: str) -> dict[str, object]:
    return {column: row[column] for column in columns}


def _amount(place: Place, most: int, places: int = 3) -> Decimal:
    return Decimal(place.rng.randrange(1, most * 10**places)).scaleb(-places)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _decimal(value: object) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(0)
