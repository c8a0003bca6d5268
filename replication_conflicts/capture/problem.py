"""What is said where capture cannot do what it is asked for."""

from __future__ import annotations


class CaptureProblem(Exception):
    """Capture cannot be installed, used or removed; the message says why in one line."""
