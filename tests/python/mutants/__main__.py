"""The command line: `python -m tests.python.mutants`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.python.mutants.groups import GROUPS
from tests.python.mutants.laboratory import Laboratory


def main() -> int:
    """Run the mutants; the exit status is the number of survivors, at most 1."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.python.mutants",
        description="Breaks one rule at a time: the tests must notice each.",
    )
    parser.add_argument("--only", default="", help="a part of the titles")
    parser.add_argument("--group", choices=tuple(GROUPS), help="one group alone")
    options = parser.parse_args()
    console = Console(highlight=False)
    chosen = [
        (name, mutant)
        for name, group in GROUPS.items()
        for mutant in group.mutants
        if options.only in mutant.title and options.group in (None, name)
    ]
    survivors = 0
    table = Table("mutant", "fate", "noticed by")
    with tempfile.TemporaryDirectory(prefix="mutants_", ignore_cleanup_errors=True) as folder:
        laboratories: dict[str, Laboratory] = {}
        for number, (name, mutant) in enumerate(chosen, start=1):
            if name not in laboratories:
                laboratories[name] = Laboratory(Path(folder), name, GROUPS[name].cases())
                found = laboratories[name].problems(None)
                if found:
                    console.print("The project itself differs from the sequential reader:")
                    console.print(*found[:5], sep="\n")
                    return 1
            started = time.monotonic()
            found = laboratories[name].problems(mutant)
            fate = "killed" if found else "SURVIVED"
            survivors += not found
            seconds = time.monotonic() - started
            console.print(f"{number}/{len(chosen)} {fate} {mutant.title} ({seconds:.0f} s)")
            table.add_row(mutant.title, fate, found[0][:80].replace("\n", " ") if found else "")
    console.print(table)
    console.print(f"{len(chosen) - survivors} killed, {survivors} survived")
    return min(survivors, 1)


if __name__ == "__main__":
    sys.exit(main())
