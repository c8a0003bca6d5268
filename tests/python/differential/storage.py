"""Cases as JSON files: a counterexample that can be kept, read and played again."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.python.sequential_reader import ApplyError, ConflictDecision, Event
from tests.python.strategies.cases import Case, Delivery, Step

_CLASSES: dict[str, Any] = {
    one.__name__: one for one in (Case, Delivery, Step, Event, ApplyError, ConflictDecision)
}


def save_case(case: Case, path: Path) -> None:
    """Write a case; the folder is made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(_encode(case), ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def load_case(path: Path) -> Case:
    """Read a case that `save_case` wrote."""
    case = _decode(json.loads(path.read_text(encoding="utf-8")))
    if not isinstance(case, Case):
        raise ValueError(f"{path} holds no case")
    return case


def _encode(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        return {"$": type(value).__name__} | {n: _encode(getattr(value, n)) for n in names}
    if isinstance(value, dict):
        return {name: _encode(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_encode(one) for one in value]
    if isinstance(value, tuple):
        return {"$": "tuple", "of": [_encode(one) for one in value]}
    if isinstance(value, frozenset):
        return {"$": "set", "of": [_encode(one) for one in sorted(value, key=repr)]}
    if isinstance(value, Decimal):
        return {"$": "decimal", "of": str(value)}
    if isinstance(value, datetime):
        return {"$": "timestamp", "of": value.isoformat()}
    if isinstance(value, date):
        return {"$": "date", "of": value.isoformat()}
    return value


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(one) for one in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("$")
    if kind == "tuple":
        return tuple(_decode(one) for one in value["of"])
    if kind == "set":
        return frozenset(_decode(one) for one in value["of"])
    if kind == "decimal":
        return Decimal(value["of"])
    if kind == "timestamp":
        return datetime.fromisoformat(value["of"])
    if kind == "date":
        return date.fromisoformat(value["of"])
    members = {name: _decode(one) for name, one in value.items() if name != "$"}
    return _CLASSES[kind](**members) if kind else members
