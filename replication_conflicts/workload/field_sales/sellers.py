"""What sellers do on the road: each activity is one transaction.

An activity looks only at the rows that its own node holds. It gives the changes to make, or nothing
where there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Mapping

from replication_conflicts.simulation import Change
from replication_conflicts.workload.field_sales import words
from replication_conflicts.workload.field_sales.accounts import (
    CAMPAIGN,
    CUSTOMER,
    LINE,
    ORDER,
    Desk,
    World,
    line_key,
    new_campaign,
    new_customer,
    new_line,
    new_order,
    whole,
    with_new_total,
    without_order,
)
from replication_conflicts.workload.story import Activity, Changes, part


def take_order(place: Desk, world: World) -> Changes:
    """A customer orders: the order and its lines, three articles of one record."""
    customer = place.customer()
    if customer is None:
        return []
    number = place.order_number()
    lines = [new_line(place.rng, number, line) for line in range(1, place.rng.randrange(2, 4))]
    order = new_order(place.rng, number, customer["customer_id"], lines, place.now)
    return [
        Change("insert", ORDER, order),
        *(Change("insert", LINE, line) for line in lines),
    ]


def change_quantity(place: Desk, world: World) -> Changes:
    """The customer needs another number of pieces; the order's total follows."""
    order = place.order()
    lines = place.lines_of(order) if order else []
    if order is None or not lines:
        return []
    changed = {**place.rng.choice(lines), "quantity": place.rng.randrange(1, 40)}
    after = [changed if line_key(line) == line_key(changed) else line for line in lines]
    values = part(changed, "order_id", "line_number", "quantity")
    return [Change("update", LINE, values), with_new_total(order, after)]


def add_line(place: Desk, world: World) -> Changes:
    """One thing more on an order: two places may both write down its next line."""
    order = place.order()
    if order is None:
        return []
    lines = place.lines_of(order)
    last = max((whole(line["line_number"]) for line in lines), default=0)
    line = new_line(place.rng, order["order_id"], last + 1)
    return [Change("insert", LINE, line), with_new_total(order, [*lines, line])]


def drop_line(place: Desk, world: World) -> Changes:
    """The customer has thought better of one thing."""
    order = place.order()
    lines = place.lines_of(order) if order else []
    if order is None or len(lines) < 2:
        return []
    line = place.rng.choice(lines)
    left = [one for one in lines if one is not line]
    return [Change("delete", LINE, line_key(line)), with_new_total(order, left)]


def sign(place: Desk, world: World) -> Changes:
    """The customer signs an order."""
    order = place.order()
    if order is None or order["signed_at"] is not None:
        return []
    values = {"status": "signed", "signed_at": place.moment()}
    return [Change("update", ORDER, part(order, "order_id") | values)]


def cancel_order(place: Desk, world: World) -> Changes:
    """The customer does not want it any more: the order goes with its lines."""
    order = place.order()
    return without_order(place, order) if order else []


def visit(place: Desk, world: World) -> Changes:
    """Something worth writing down about a customer."""
    customer = place.customer()
    if customer is None:
        return []
    values = {"note": words.note(place.rng)}
    return [Change("update", CUSTOMER, part(customer, "customer_id") | values)]


def win_customer(place: Desk, world: World) -> Changes:
    """A customer from a business card; two places may have the same card."""
    if place.rng.random() < 0.5:
        world.next_card += 1
    if place.holds(CUSTOMER, world.next_card):
        return []
    return [Change("insert", CUSTOMER, new_customer(place.rng, world.next_card, place.now))]


def give_vouchers(place: Desk, world: World) -> Changes:
    """Vouchers of a campaign are given away; all places take them from the same heap."""
    campaign = place.one([row for row in place.node.rows(CAMPAIGN) if row["vouchers_left"]])
    if campaign is None:
        return []
    left = whole(campaign["vouchers_left"]) - place.rng.randrange(1, 6)
    return [Change("update", CAMPAIGN, part(campaign, "code") | {"vouchers_left": left})]


def retitle(place: Desk, world: World) -> Changes:
    """A title that customers like better."""
    campaign = place.one(place.node.rows(CAMPAIGN))
    if campaign is None:
        return []
    return [Change("update", CAMPAIGN, part(campaign, "code") | {"title": words.title(place.rng)})]


def start_campaign(place: Desk, world: World) -> Changes:
    """The next campaign of the calendar; two places may start the same one."""
    if place.rng.random() < 0.5:
        world.next_campaign += 1
    campaign = new_campaign(place.rng, world.next_campaign, place.now)
    if place.holds(CAMPAIGN, campaign["code"]):
        return []
    return [Change("insert", CAMPAIGN, campaign)]


def end_campaign(place: Desk, world: World) -> Changes:
    """A campaign is over."""
    campaign = place.one(list(reversed(place.node.rows(CAMPAIGN))))
    return [Change("delete", CAMPAIGN, part(campaign, "code"))] if campaign else []


ON_THE_ROAD: Mapping[Activity, int] = {
    take_order: 24,
    change_quantity: 12,
    add_line: 7,
    drop_line: 3,
    sign: 10,
    cancel_order: 3,
    visit: 14,
    win_customer: 5,
    give_vouchers: 16,
    retitle: 2,
    start_campaign: 2,
    end_campaign: 1,
}
