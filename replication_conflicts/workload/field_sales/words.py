"""Texts as sales people write them: apostrophes, quotes, backslashes, other scripts, or nothing."""

from __future__ import annotations

import random

_NAMES = (
    "Müller & Söhne",
    "O'Neill Ltd",
    'Café "Zur Post"',
    "Łódź Tools",
    "Ægir | Shipping",
    "北京机械",
    "Фабрика № 5",
    "Dupont; fils",
    "Hotel C:\\Beach",
    "N/A Holding",
    "Smith \N{SNOWMAN} Ice",
    "NULL Systems",
)
_TOWNS = ("Berlin", "Lyon", "Kraków", "L'Aquila", "Åre", "Saint-Étienne", "東京", "Ulm")
_NOTES = (
    None,
    None,
    "",
    "call back after 4",
    "doesn't like e-mail",
    'asks for "the usual"',
    "clé sous le tapis",
    "prices in C:\\offers\\new",
    "'; drop table customer; --",
    "line one\nline two",
    "请致电",
    "100% \N{WHITE HEAVY CHECK MARK}",
)
_ITEMS = (
    "bolt M8 \N{MULTIPLICATION SIGN} 40",
    'pipe 1/2"',
    "clé à molette",
    "O'Brien's clamp",
    "Dübel | 100 Stück",
    "胶带",
    "paint \\ matt",
    "rope",
)
_TITLES = (
    "Spring sale",
    "Frühjahrsaktion",
    "Soldes d'été",
    'The "big" one',
    "春节",
    "Buy 3; pay 2",
    "Don't wait",
)


def customer_name(rng: random.Random) -> str:
    """A customer's name; not unique."""
    return f"{rng.choice(_NAMES)}, {rng.choice(_TOWNS)}"


def note(rng: random.Random) -> str | None:
    """What somebody wrote after a visit."""
    return rng.choice(_NOTES)


def item(rng: random.Random) -> str:
    """What was ordered."""
    return rng.choice(_ITEMS)


def title(rng: random.Random) -> str:
    """A campaign's title."""
    return rng.choice(_TITLES)


def code(number: int) -> str:
    """A campaign's short name; some are awkward to type."""
    forms = ("SALE-{:02d}", "ÉTÉ {:02d}", "it's {:02d}", "A|B {:02d}", "\\{:02d}")
    return (forms[number % 9] if number % 9 < len(forms) else forms[0]).format(number)
