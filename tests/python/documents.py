"""The documents as text: sections, and the files of the README's example."""

from __future__ import annotations

import re

from .conftest import REPOSITORY


def text_of(name: str) -> str:
    """A document."""
    return (REPOSITORY / name).read_text(encoding="utf-8")


def section(document: str, heading: str) -> str:
    """What a document says below a heading."""
    return text_of(document).split(f"\n## {heading}\n")[1].split("\n## ")[0]


def example_files(document: str = "README.md") -> dict[str, str]:
    """The files of a document's example: a path alone on its line, and a block below it."""
    pattern = r"^`([\w./]+\.(?:yml|sql|csv))`\n\n```\w+\n(.*?)^```$"
    return dict(re.findall(pattern, text_of(document), re.DOTALL | re.MULTILINE))
