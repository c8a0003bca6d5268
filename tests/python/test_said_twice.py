"""What SQL and Python both say: commands are computed in Python, from a log written by SQL."""

from __future__ import annotations

import re

from .repository import REPOSITORY

COMMANDS = REPOSITORY / "models" / "subscribers" / "distribution_commands.py"
MACROS = REPOSITORY / "macros" / "interventions"


def condition(name: str) -> str:
    """A condition of the Python model, as SQL."""
    found = re.search(rf'^{name} = "(.*)"$', COMMANDS.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None, name
    return found[1]


def returned(macro: str) -> str:
    """What a macro returns for the column `rule`, as SQL."""
    text = (MACROS / f"{macro}.sql").read_text(encoding="utf-8")
    found = re.search(r"\{\{ return\((.*)\) \}\}", text)
    assert found is not None, macro
    pieces = re.findall(r"'([^']*)'|\"([^\"]*)\"|(rule)", found[1])
    return "".join(single or double or name for single, double, name in pieces)


def test_decisions_of_people() -> None:
    assert condition("IS_DECISION") == returned("is_decision")


def test_refused_commands() -> None:
    assert condition("IS_REFUSED") == returned("is_refused_command")
