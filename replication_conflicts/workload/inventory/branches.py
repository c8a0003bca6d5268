"""What people do in the branches: each activity is one transaction.

An activity looks only at the rows that its own node holds. It gives the changes to make, or nothing
where there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from replication_conflicts.simulation import Change
from replication_conflicts.workload.inventory import words
from replication_conflicts.workload.inventory.stores import (
    FEW_MOVEMENTS,
    LEVEL,
    MOVEMENT,
    PRODUCT,
    Docket,
    Store,
    World,
    decimal_of,
    from_catalog,
    move,
    set_quantity,
    shelf,
    text_of,
)
from replication_conflicts.workload.story import Activity, Changes, part


def sell(place: Store, world: World) -> Changes:
    """Goods leave: the movement, and what is left on the shelf."""
    level = place.one(place.own_levels())
    return move(place, level, -place.amount(8), words.reason(place.rng, True)) if level else []


def receive(place: Store, world: World) -> Changes:
    """Goods arrive."""
    level = place.one(place.own_levels())
    return move(place, level, place.amount(60), words.reason(place.rng, False)) if level else []


def count(place: Store, world: World) -> Changes:
    """Somebody counts a shelf; what is there replaces what was thought to be there."""
    level = place.one(place.own_levels())
    if level is None:
        return []
    values = {
        "quantity": place.amount(90),
        "counted_at": place.moment(),
        "note": words.note(place.rng),
    }
    return [Change("update", LEVEL, part(level, "branch_code", "sku") | values)]


def remark(place: Store, world: World) -> Changes:
    """A note on a shelf, now and then on another branch's."""
    levels = place.node.rows(LEVEL) if place.rng.random() < 0.15 else place.own_levels()
    level = place.one(levels)
    if level is None:
        return []
    return [
        Change("update", LEVEL, part(level, "branch_code", "sku") | {"note": words.note(place.rng)})
    ]


def correct_movement(place: Store, world: World) -> Changes:
    """A movement's reason is written better."""
    movement = place.recent(place.own_movements())
    if movement is None:
        return []
    reason = f"{text_of(movement['reason']) or 'no reason'}, checked"[:60]
    return [Change("update", MOVEMENT, part(movement, "movement_id") | {"reason": reason})]


def void_movement(place: Store, world: World) -> Changes:
    """A movement that never was: the row goes, and the shelf gets back what it took."""
    movement = place.recent(place.own_movements())
    if movement is None:
        return []
    changes = [Change("delete", MOVEMENT, part(movement, "movement_id"))]
    level = place.node.row(LEVEL, (movement["branch_code"], movement["sku"]))
    if level is not None:
        changes.append(set_quantity(level, -decimal_of(movement["quantity"])))
    place.voided.append(movement)
    return changes


def restore_movement(place: Store, world: World) -> Changes:
    """It was right after all: the same row again."""
    if not place.voided:
        return []
    movement = place.voided.pop()
    level = place.node.row(LEVEL, (movement["branch_code"], movement["sku"]))
    if level is None or place.holds(MOVEMENT, movement["movement_id"]):
        return []
    return [
        Change("insert", MOVEMENT, movement),
        set_quantity(level, decimal_of(movement["quantity"])),
    ]


def renumber_movement(place: Store, world: World) -> Changes:
    """A wrong number: the primary key changes."""
    movement = place.recent(place.own_movements())
    if movement is None:
        return []
    return [
        Change("delete", MOVEMENT, part(movement, "movement_id")),
        Change("insert", MOVEMENT, {**movement, "movement_id": place.movement_id()}),
    ]


def send(place: Store, world: World) -> Changes:
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
        place.amount(20),
    )
    world.next_docket += 1
    world.dockets.append(docket)
    return move(place, level, -docket.quantity, f"to {docket.receiver}", docket.number)


def take_in(place: Store, world: World) -> Changes:
    """Goods from another branch: who has not heard of the docket writes it down under its number,
    too.
    """
    mine = [docket for docket in world.dockets if docket.receiver == place.name]
    if not mine:
        return []
    docket = mine[0]
    world.dockets.remove(docket)
    level = place.node.row(LEVEL, (place.name, docket.sku))
    if level is None or place.holds(MOVEMENT, docket.number):
        return []
    return move(place, level, docket.quantity, f"from {docket.sender}", docket.number)


def describe_product(place: Store, world: World) -> Changes:
    """A branch finds a better name for a product."""
    product = place.one(place.node.rows(PRODUCT))
    if product is None:
        return []
    return [
        Change("update", PRODUCT, part(product, "sku") | {"name": words.product_name(place.rng)})
    ]


def list_product(place: Store, world: World) -> Changes:
    """A product from the suppliers' catalog, with this branch's shelf; two branches may list the
    same one.
    """
    product = from_catalog(place, world)
    if product is None:
        return []
    return [Change("insert", PRODUCT, product), shelf(place, place.name, product["sku"])]


def close_shelf(place: Store, world: World) -> Changes:
    """A shelf is given up, with what was written down about it."""
    level = place.one(list(reversed(place.own_levels())))
    if level is None:
        return []
    movements = place.movements_of(level["sku"], place.name)
    if len(movements) > FEW_MOVEMENTS:
        return []
    place.closed.append(level)
    changes = [Change("delete", MOVEMENT, part(row, "movement_id")) for row in movements]
    return [*changes, Change("delete", LEVEL, part(level, "branch_code", "sku"))]


def reopen_shelf(place: Store, world: World) -> Changes:
    """The same shelf again, if the product still is there."""
    if not place.closed:
        return []
    level = place.closed.pop()
    if place.holds(LEVEL, level["branch_code"], level["sku"]) or not place.holds(
        PRODUCT, level["sku"]
    ):
        return []
    return [Change("insert", LEVEL, {**level, "quantity": Decimal(0), "counted_at": None})]


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
