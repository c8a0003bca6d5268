"""What headquarters and sellers have in common: their tables, what is outside of all databases, and
what everything starts with.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from replication_conflicts.publication.values import Row, Value
from replication_conflicts.simulation import Change
from replication_conflicts.workload.field_sales import words
from replication_conflicts.workload.story import Changes, Workplace, part

CUSTOMER = "customer"
ORDER = "sales_order"
LINE = "order_line"
CAMPAIGN = "campaign"

FIRST_CARD = 700_000
# every place numbers its orders in a range of its own
ORDERS_OF_A_PLACE = 1_000_000
CAMPAIGNS_FOR_CUSTOMERS = 6
# a seller mostly visits the customers of the own tour
SHARE_OF_THE_TOUR = 0.85
TOURS = 3


@dataclass
class World:
    """What exists outside the databases: business cards left at fairs, a calendar of campaigns."""

    sellers: tuple[str, ...]
    next_card: int = FIRST_CARD
    next_campaign: int = 0


@dataclass
class Desk(Workplace):
    """Headquarters, or a seller with a database to take along."""

    next_order: int = 0

    def order_number(self) -> int:
        """A number from the place's own range."""
        self.next_order += 1
        return self.number * ORDERS_OF_A_PLACE + self.next_order

    def customer(self) -> Row | None:
        """One of the customers; a seller's are mostly those of the tour."""
        customers = self.node.rows(CUSTOMER)
        if self.number and self.rng.random() < SHARE_OF_THE_TOUR:
            customers = [
                row for row in customers if whole(row["customer_id"]) % TOURS == self.number % TOURS
            ]
        return self.one(customers)

    def order(self) -> Row | None:
        """One of the orders of one of the customers."""
        customer = self.customer()
        if customer is None:
            return None
        return self.recent(self.orders_of(customer))

    def orders_of(self, customer: Row) -> list[Row]:
        """A customer's orders."""
        orders = self.node.rows(ORDER)
        return [row for row in orders if row["customer_id"] == customer["customer_id"]]

    def lines_of(self, order: Row) -> list[Row]:
        """An order's lines, by their numbers."""
        lines = [row for row in self.node.rows(LINE) if row["order_id"] == order["order_id"]]
        return sorted(lines, key=lambda row: whole(row["line_number"]))


def initial_accounts(
    rng: random.Random, world: World, customers: int, now: datetime
) -> dict[str, list[Row]]:
    """What every node holds at the start: customers with an order or two, and some campaigns."""
    orders: list[Row] = []
    lines: list[Row] = []
    for number in range(1, customers + 1):
        for order_id in {number, number + customers * rng.randrange(2)}:
            own = [new_line(rng, order_id, place) for place in range(1, rng.randrange(2, 4))]
            orders.append(new_order(rng, order_id, number, own, now))
            lines += own
    campaigns = max(2, customers // CAMPAIGNS_FOR_CUSTOMERS)
    world.next_campaign = campaigns
    return {
        CUSTOMER: [new_customer(rng, number, now) for number in range(1, customers + 1)],
        ORDER: orders,
        LINE: lines,
        CAMPAIGN: [new_campaign(rng, number, now) for number in range(campaigns)],
    }


def new_customer(rng: random.Random, number: int, now: datetime) -> Row:
    """A customer as the first visit leaves it."""
    return {
        "customer_id": number,
        "name": words.customer_name(rng),
        "credit_limit": None if rng.random() < 0.2 else Decimal(rng.randrange(5_000_000)) / 100,
        "customer_since": day_near(rng, now, -3_000) if rng.random() < 0.9 else None,
        "note": words.note(rng),
    }


def new_order(
    rng: random.Random, order_id: int, customer_id: Value, lines: Sequence[Row], now: datetime
) -> Row:
    """An order of these lines; most are signed on the spot."""
    signed = now - timedelta(microseconds=rng.randrange(10**11)) if rng.random() < 0.6 else None
    return {
        "order_id": order_id,
        "customer_id": customer_id,
        "status": "signed" if signed else "open",
        "signed_at": signed,
        "total": total(lines),
    }


def new_line(rng: random.Random, order_id: Value, number: int) -> Row:
    """A line of an order."""
    return {
        "order_id": order_id,
        "line_number": number,
        "item": words.item(rng),
        "quantity": rng.randrange(1, 40),
        "unit_price": Decimal(rng.randrange(20, 40_000)) / 100,
    }


def new_campaign(rng: random.Random, number: int, now: datetime) -> Row:
    """A campaign with its vouchers, which all places give away."""
    return {
        "code": words.code(number),
        "title": words.title(rng),
        "discount": Decimal(rng.randrange(200, 3_000)) / 100,
        "ends_on": None if rng.random() < 0.2 else day_near(rng, now, 90),
        "vouchers_left": None if rng.random() < 0.1 else rng.randrange(100, 900),
    }


def with_new_total(order: Row, lines: Sequence[Row]) -> Change:
    """The order's total, after its lines have changed."""
    return Change("update", ORDER, part(order, "order_id") | {"total": total(lines)})


def without_order(place: Desk, order: Row) -> Changes:
    """The order and its lines go."""
    lines = [Change("delete", LINE, line_key(row)) for row in place.lines_of(order)]
    return [*lines, Change("delete", ORDER, part(order, "order_id"))]


def line_key(line: Row) -> dict[str, object]:
    """The key of an order's line."""
    return part(line, "order_id", "line_number")


def total(lines: Sequence[Row]) -> Decimal:
    """What lines cost together."""
    return sum((whole(row["quantity"]) * money(row["unit_price"]) for row in lines), Decimal(0))


def whole(value: object) -> int:
    """A whole number; nothing is zero."""
    return value if isinstance(value, int) else 0


def money(value: object) -> Decimal:
    """An amount; nothing is zero."""
    return value if isinstance(value, Decimal) else Decimal(0)


def day_near(rng: random.Random, now: datetime, days: int) -> date:
    """A day between now and so many days from now."""
    return (now + timedelta(days=rng.randrange(abs(days)) * (1 if days > 0 else -1))).date()
