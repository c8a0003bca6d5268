"""sqlfluff over the models, where a file that cannot be compiled is an error.

sqlfluff only warns of such a file and leaves it out. dbt parses a model that reads an ephemeral one
with sqlparse, whose limit of tokens the dbt command lifts; sqlfluff's templater does not.

    python -m tests.python.lint_sql FILE ...
"""

from __future__ import annotations

import logging
import sys

import sqlparse.engine.grouping
from sqlfluff.cli.commands import cli

# what the templater says of a file that dbt cannot compile; a disabled model is another case
_LEFT_OUT = "dbt raised a fatal exception"
# a staging model looks at its feed, and there is none before somebody has loaded it
_NO_FEED = "its change feed"


class LeftOut(logging.Handler):
    """Keeps what sqlfluff warns of: files that were left out, but for staging without a feed."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.warnings: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning about a file that could not be compiled."""
        message = record.getMessage()
        if _LEFT_OUT in message and _NO_FEED not in message:
            self.warnings.append(message)


def main(files: list[str]) -> int:
    """Lint the files; 0 when they are clean, and none that can be compiled was left out."""
    sqlparse.engine.grouping.MAX_GROUPING_TOKENS = sys.maxsize
    left_out = LeftOut()
    logging.getLogger("sqlfluff.linter").addHandler(left_out)
    arguments = ["lint", "--processes", "1", "--disable-progress-bar", "--nocolor", *files]
    try:
        cli.main(arguments, standalone_mode=True)
    except SystemExit as end:
        code = int(end.code or 0)
    for warning in left_out.warnings:
        print(f"not linted: {warning}", file=sys.stderr)
    return code or int(bool(left_out.warnings))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
