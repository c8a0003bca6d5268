"""Triggers of merge replication in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from replication_conflicts.capture.triggers.merge_bodies import NUMBER, MergeBodies
from replication_conflicts.capture.triggers.postgres_queued import (
    IS_NODES_OWN,
    always_run,
    function,
    names,
    refuse_no_key,
    truncate_body,
    truncate_triggers,
)
from replication_conflicts.capture.triggers.words import Words
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.metadata import short_name

_TEXTS = ("string", "varchar", "char")
_FLOATS = ("float", "double")


def sequence_name(publication: str) -> str:
    """The sequence of a publication's version numbers: writers need not wait for each other."""
    return quoted(short_name(f"replication_number_{publication}"))


def words(publication: str) -> Words:
    """PostgreSQL's words."""
    sequence = literal(sequence_name(publication))
    return Words(
        dialect="postgres",
        stamps_first=True,
        take_number=f"update {{table}} set {NUMBER} = nextval({sequence}) where {{condition}}",
        number=NUMBER,
        row_number=f"nextval({sequence})",
        rows_numbered="select {last}",
        now="clock_timestamp()::timestamp::text",
        is_same="is not distinct from {}",
        is_other="is distinct from {}",
        # a type, or a collation, may hold texts for equal that are not; so do 0.0 and -0.0
        exact={
            **dict.fromkeys(_TEXTS, '(cast({} as text) collate "C")'),
            **dict.fromkeys(_FLOATS, "cast({} as text)"),
        },
        merged="cast(cast({a} as jsonb) || cast({b} as jsonb) as text)",
        entry="cast(jsonb_build_object({name}, {value}) as text)",
        entries="jsonb_each_text(cast({lineage} as jsonb))",
        entry_number="cast(entry.value as bigint)",
        # nothing makes NULL
        lineage="coalesce(cast(jsonb_object_agg(node, number) as text), '{}')",
    )


def create(publication: NodePublication, node: str, article: NodeArticle) -> tuple[str, ...]:
    """Functions and triggers, statement by statement."""
    version, capture, truncate = names(article.name)
    bodies = MergeBodies(words(publication.name), publication, node, article)
    return (
        *function(version, _version_body(bodies, refuse_no_key(article))),
        *function(capture, _body(bodies)),
        *function(truncate, truncate_body(article)),
        f"create trigger {version} before insert or update on {bodies.table}"
        f" for each row when ({IS_NODES_OWN}) execute function {version}()",
        f"create trigger {capture} after insert or update or delete on {bodies.table}"
        f" for each row when ({IS_NODES_OWN}) execute function {capture}()",
        *truncate_triggers(article.name),
        *always_run(article.name),
    )


def _version_body(bodies: MergeBodies, no_key: str) -> str:
    # a second update of the row would call the application's triggers once more
    return (
        # no upload may take a change between its version and what is written of it afterwards
        f"    lock table {bodies.metadata} in row exclusive mode;\n{no_key}"
        f"    if tg_op = 'UPDATE' and {bodies.key_is_kept()} then\n"
        # a row that stays what it is keeps its version, whatever is written there
        f"        if not ({bodies.is_changed()}) then\n"
        f"            new.{bodies.version} := old.{bodies.version};\n"
        "            return new;\n        end if;\n"
        f"    elsif tg_op = 'UPDATE' then\n{_steps(bodies.number_old())}\n    end if;\n"
        # somebody else may be writing a row of that key
        f"    {bodies.free_key()} on conflict do nothing;\n"
        # a value that the upload could not carry ends the statement that writes it
        f"    perform {bodies.image('new')};\n"
        f"    new.{bodies.version} := {bodies.next_version()};\n"
        "    return new;"
    )


def _body(bodies: MergeBodies) -> str:
    return (
        f"    if tg_op = 'UPDATE' and {bodies.key_is_kept()} then\n"
        f"        if ({bodies.is_changed()}) then\n{_steps(bodies.updated())}\n        end if;\n"
        f"    elsif tg_op = 'UPDATE' then\n{_steps(bodies.renamed())}\n"
        f"    elsif tg_op = 'DELETE' then\n{_steps(bodies.deleted())}\n"
        f"    else\n{_steps(bodies.inserted())}\n    end if;\n"
        "    return null;"
    )


def _steps(statements: Sequence[str]) -> str:
    return "\n".join(f"        {statement};" for statement in statements)
