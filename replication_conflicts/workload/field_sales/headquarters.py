"""What people do at headquarters: each activity is one transaction, as for sellers."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from replication_conflicts.simulation import Change
from replication_conflicts.workload.field_sales.accounts import (
    CAMPAIGN,
    CUSTOMER,
    LINE,
    ORDER,
    Desk,
    World,
    day_near,
    line_key,
    money,
    whole,
    with_new_total,
    without_order,
)
from replication_conflicts.workload.field_sales.sellers import end_campaign, start_campaign
from replication_conflicts.workload.story import Activity, Changes, part

# an account that is closed has few orders left
FEW_ORDERS = 2


def limit_credit(place: Desk, world: World) -> Changes:
    """What a customer may owe; NULL where only payment in advance will do."""
    customer = place.customer()
    if customer is None:
        return []
    limit = None if place.rng.random() < 0.2 else place.amount(40_000, places=2)
    return [Change("update", CUSTOMER, part(customer, "customer_id") | {"credit_limit": limit})]


def ship(place: Desk, world: World) -> Changes:
    """An order leaves the warehouse, or has to wait."""
    order = place.order()
    if order is None:
        return []
    status = place.rng.choice(("shipped", "shipped", "on hold"))
    return [Change("update", ORDER, part(order, "order_id") | {"status": status})]


def raise_prices(place: Desk, world: World) -> Changes:
    """Every line of an order is priced anew, and its total with them."""
    order = place.order()
    if order is None:
        return []
    cent = Decimal("0.01")
    after = [
        {**line, "unit_price": (money(line["unit_price"]) * Decimal("1.05")).quantize(cent)}
        for line in place.lines_of(order)
    ]
    changes = [
        Change("update", LINE, line_key(line) | {"unit_price": line["unit_price"]})
        for line in after
    ]
    return [*changes, with_new_total(order, after)]


def close_account(place: Desk, world: World) -> Changes:
    """A customer goes, with orders and lines: a whole record."""
    customer = place.customer()
    if customer is None:
        return []
    orders = place.orders_of(customer)
    if len(orders) > FEW_ORDERS:
        return []
    gone = [change for order in orders for change in without_order(place, order)]
    return [*gone, Change("delete", CUSTOMER, part(customer, "customer_id"))]


def print_vouchers(place: Desk, world: World) -> Changes:
    """More vouchers for the heap from which all places give."""
    campaign = place.one(place.node.rows(CAMPAIGN))
    if campaign is None:
        return []
    left = whole(campaign["vouchers_left"]) + 100
    return [Change("update", CAMPAIGN, part(campaign, "code") | {"vouchers_left": left})]


def plan_campaign(place: Desk, world: World) -> Changes:
    """Another discount, another last day."""
    campaign = place.one(place.node.rows(CAMPAIGN))
    if campaign is None:
        return []
    values = {
        "discount": place.amount(30, places=2),
        "ends_on": day_near(place.rng, place.now, 120),
    }
    return [Change("update", CAMPAIGN, part(campaign, "code") | values)]


AT_HEADQUARTERS: Mapping[Activity, int] = {
    limit_credit: 20,
    ship: 20,
    raise_prices: 10,
    close_account: 4,
    print_vouchers: 8,
    plan_campaign: 8,
    start_campaign: 3,
    end_campaign: 3,
}
