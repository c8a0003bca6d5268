"""What people do at headquarters: each activity is one transaction."""

from __future__ import annotations

from collections.abc import Mapping

from replication_conflicts.simulation import Change
from replication_conflicts.workload.inventory.stores import (
    FEW_MOVEMENTS,
    LEVEL,
    MOVEMENT,
    PRODUCT,
    Store,
    World,
    from_catalog,
    shelf,
    text_of,
)
from replication_conflicts.workload.story import Activity, Changes, part


def set_price(place: Store, world: World) -> Changes:
    """A price; NULL where it is on request."""
    product = place.one(place.node.rows(PRODUCT))
    if product is None:
        return []
    price = None if place.rng.random() < 0.1 else place.amount(400, places=2)
    return [Change("update", PRODUCT, part(product, "sku") | {"unit_price": price})]


def plan_stock(place: Store, world: World) -> Changes:
    """How low a shelf may get before more is ordered."""
    level = place.one(place.node.rows(LEVEL))
    if level is None:
        return []
    point = None if place.rng.random() < 0.1 else place.rng.randrange(5, 80)
    return [Change("update", LEVEL, part(level, "branch_code", "sku") | {"reorder_point": point})]


def audit(place: Store, world: World) -> Changes:
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
            part(row, "branch_code", "sku") | {"quantity": place.amount(90), "counted_at": now},
        )
        for row in levels
    ]


def annotate(place: Store, world: World) -> Changes:
    """The books' remark on a movement."""
    movement = place.recent(place.node.rows(MOVEMENT))
    if movement is None:
        return []
    reason = f"{text_of(movement['reason'])} (booked)"[-60:]
    return [Change("update", MOVEMENT, part(movement, "movement_id") | {"reason": reason})]


def purge(place: Store, world: World) -> Changes:
    """Movements that the books no longer need."""
    rows = place.node.rows(MOVEMENT)
    chosen = place.rng.sample(rows, min(len(rows), place.rng.randrange(1, 4)))
    return [Change("delete", MOVEMENT, part(row, "movement_id")) for row in chosen]


def introduce(place: Store, world: World) -> Changes:
    """A product from the suppliers' catalog, with a shelf in every branch."""
    product = from_catalog(place, world)
    if product is None:
        return []
    shelves = [shelf(place, branch, product["sku"]) for branch in world.branches]
    return [Change("insert", PRODUCT, product), *shelves]


def delist(place: Store, world: World) -> Changes:
    """A product goes, with all that hangs on it."""
    product = place.one(list(reversed(place.node.rows(PRODUCT))))
    if product is None:
        return []
    movements = place.movements_of(product["sku"])
    if len(movements) > FEW_MOVEMENTS:
        return []
    levels = [row for row in place.node.rows(LEVEL) if row["sku"] == product["sku"]]
    return [
        *(Change("delete", MOVEMENT, part(row, "movement_id")) for row in movements),
        *(Change("delete", LEVEL, part(row, "branch_code", "sku")) for row in levels),
        Change("delete", PRODUCT, part(product, "sku")),
    ]


def rename_sku(place: Store, world: World) -> Changes:
    """A supplier renames a product: primary keys change in two articles, and movements follow."""
    product = place.one(list(reversed(place.node.rows(PRODUCT))))
    if product is None:
        return []
    movements = place.movements_of(product["sku"])
    new_sku = f"{text_of(product['sku'])}/n"
    if len(movements) > FEW_MOVEMENTS or place.holds(PRODUCT, new_sku):
        return []
    changes = [Change("insert", PRODUCT, {**product, "sku": new_sku})]
    for row in place.node.rows(LEVEL):
        if row["sku"] == product["sku"]:
            changes.append(Change("delete", LEVEL, part(row, "branch_code", "sku")))
            changes.append(Change("insert", LEVEL, {**row, "sku": new_sku}))
    for row in movements:
        changes.append(Change("update", MOVEMENT, part(row, "movement_id") | {"sku": new_sku}))
    return [*changes, Change("delete", PRODUCT, part(product, "sku"))]


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
