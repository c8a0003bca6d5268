"""Texts as people write them: quotes, apostrophes, backslashes, other scripts, or nothing."""

from __future__ import annotations

import random

_ARTICLES = (
    "bolt",
    "nut",
    "hinge",
    'pipe 1/2"',
    "washer",
    "Schraube",
    "Dübel",
    "clé à molette",
    "пила",
    "胶带",
    "O'Brien's clamp",
    '"heavy" hook',
    "bracket \\ left",
    "tape; -- not a comment",
    "paint 50% matt",
    "rope | braided",
    "drill bit \N{HAMMER AND WRENCH}",
)
_KINDS = (
    "M8 \N{MULTIPLICATION SIGN} 40",
    "large",
    "größer",
    "zinc",
    "brass, 'antique'",
    'type "B"',
    "C:\\stock\\new",
    "nº 7",
    "{raw}",
    "N/A",
)
_NOTES = (
    None,
    None,
    "",
    "counted twice",
    "don't stack",
    'shelf "3b"',
    "see C:\\notes\\stock.txt",
    "étagère n° 2",
    "在二号架",
    "'; drop table stock_level; --",
    "line one\nline two",
    "NULL",
    "wet \N{CLOUD WITH RAIN}",
)
_SALES = (
    None,
    "sale",
    "sale",
    "sale, counter 2",
    "O'Neill's order",
    'order "blue"',
    "Müller & Söhne",
    "网上订单",
)
_RECEIPTS = (
    "delivery",
    "delivery",
    "returned by O'Hara",
    None,
    "supplier's \\ docket",
    "livraison du matin",
)


def product_name(rng: random.Random) -> str:
    """A product's name; never NULL, and not unique."""
    return f"{rng.choice(_ARTICLES)} {rng.choice(_KINDS)}"


def note(rng: random.Random) -> str | None:
    """A remark about a shelf."""
    return rng.choice(_NOTES)


def reason(rng: random.Random, is_sale: bool) -> str | None:
    """Why goods moved."""
    return rng.choice(_SALES if is_sale else _RECEIPTS)


def sku(number: int) -> str:
    """A stock keeping unit; some suppliers have awkward ones."""
    forms = ("BX-{:04d}", "bx {:04d}", "Ø{:04d}", "K'{:04d}", 'Q"{:04d}', "P|{:04d}", "R\\{:04d}")
    # most are plain, so that the awkward ones stand out
    form = forms[number % 11] if number % 11 < len(forms) else forms[0]
    return form.format(number)
