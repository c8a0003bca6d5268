"""Texts in statements for Spark that have no parameters."""

from __future__ import annotations


def spark_text(text: str) -> str:
    """A text as a literal of Spark SQL that means just that text."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
