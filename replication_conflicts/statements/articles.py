"""What a statement needs to know of an article, taken from the configuration of its publication."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# what holds the version of a row: in the lakehouse always, at a node unless it has another name
VERSION_COLUMN = "row_version"


@dataclass(frozen=True)
class ArticleShape:
    """The table of one article as a subscriber has it.

    `columns` maps each column to its Spark type in table order; `version_column` holds the version
    that the row has, a string, and stands beside them.
    """

    publication: str
    name: str
    columns: Mapping[str, str]
    primary_key: tuple[str, ...]
    version_column: str = VERSION_COLUMN

    def __post_init__(self) -> None:
        """Raise ValueError, naming publication and article, for a shape that no statement can
        serve.
        """
        where = f"publication '{self.publication}', article '{self.name}'"
        missing = [column for column in self.primary_key if column not in self.columns]
        if not self.primary_key:
            raise ValueError(f"{where}: primary_key names no column")
        if missing:
            raise ValueError(
                f"{where}: primary_key names {missing}, which are not among the columns"
            )
        # neither Spark nor most databases tell names apart by upper and lower case
        if self.version_column.lower() in (column.lower() for column in self.columns):
            raise ValueError(
                f"{where}: the column '{self.version_column}' has the name of the version column; "
                "name another one with the option version_column"
            )

    @property
    def other_columns(self) -> tuple[str, ...]:
        """The columns outside the key, in table order."""
        return tuple(column for column in self.columns if column not in self.primary_key)


def article_shapes(publications: Mapping[str, Mapping[str, Any]]) -> Iterator[ArticleShape]:
    """Yield every article of the configuration (vars: publications: in dbt_project.yml), in its
    order. Raise ValueError, naming publication and article, where something is missing.
    """
    for publication, settings in publications.items():
        where = f"publication '{publication}'"
        articles = _entry(settings, "articles", Mapping, where) if settings.get("articles") else {}
        for article, options in articles.items():
            where = f"publication '{publication}', article '{article}'"
            columns = _entry(options, "columns", Mapping, where)
            yield ArticleShape(
                publication=publication,
                name=article,
                columns={str(name): str(kind) for name, kind in columns.items()},
                primary_key=tuple(_entry(options, "primary_key", (list, tuple), where)),
                version_column=str(options.get("version_column") or VERSION_COLUMN),
            )


def _entry(options: object, name: str, kind: Any, where: str) -> Any:
    """What YAML has under a name, of the kind that is wanted there."""
    found = options.get(name) if isinstance(options, Mapping) else None
    if not isinstance(found, kind):
        wanted = "names with values" if kind is Mapping else "a list"
        raise ValueError(f"{where}: {name} must be {wanted}")
    return found
