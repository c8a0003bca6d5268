"""Triggers of merge replication in PostgreSQL."""

from __future__ import annotations

from replication_conflicts.capture.triggers.merge_bodies import MergeBodies
from replication_conflicts.capture.triggers.postgres_queued import (
    IS_NODES_OWN,
    function,
    names,
    truncate_body,
)
from replication_conflicts.capture.triggers.words import Words
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.engine import AGENT_SETTING
from replication_conflicts.database.images import literal, quoted


def sequence_name(publication: str) -> str:
    """The sequence of a publication's version numbers: writers need not wait for each other."""
    return quoted(f"replication_number_{publication}")


def words(publication: str) -> Words:
    """PostgreSQL's words."""
    sequence = literal(sequence_name(publication))
    return Words(
        dialect="postgres",
        take_number=f"perform nextval({sequence}) from {{table}} where {{condition}}",
        number=f"currval({sequence})",
        row_number=f"nextval({sequence})",
        rows_numbered="select {last}",
        now="clock_timestamp()::timestamp::text",
        is_same="is not distinct from {}",
        is_other="is distinct from {}",
        merged="cast(cast({a} as jsonb) || cast({b} as jsonb) as text)",
        entry="cast(jsonb_build_object({name}, {value}) as text)",
        entries="jsonb_each_text(cast({lineage} as jsonb))",
        entry_number="cast(entry.value as bigint)",
        # nothing makes NULL
        lineage="coalesce(cast(jsonb_object_agg(node, number) as text), '{}')",
    )


def create(publication: NodePublication, node: str, article: NodeArticle) -> tuple[str, ...]:
    """Functions and triggers, one statement each."""
    _, capture, truncate = names(article.name)
    bodies = MergeBodies(words(publication.name), publication, node, article)
    return (
        function(capture, _body(bodies)),
        function(truncate, truncate_body(article)),
        f"create trigger {capture} after insert or update or delete on {bodies.table}"
        f" for each row when ({IS_NODES_OWN}) execute function {capture}()",
        f"create trigger {truncate} before truncate on {bodies.table} for each statement"
        f" execute function {truncate}()",
    )


def _body(bodies: MergeBodies) -> str:
    # the version that the row gets is no change of its own
    quiet = f"perform set_config('{AGENT_SETTING}', 'on', true)"
    loud = f"perform set_config('{AGENT_SETTING}', 'off', true)"

    def steps(*statements: str) -> str:
        return "\n".join(f"        {statement};" for statement in (quiet, *statements, loud))

    return (
        f"    if tg_op = 'UPDATE' and {bodies.key_is_kept()} then\n"
        f"        if not ({bodies.is_changed()}) then return null; end if;\n"
        f"{steps(*bodies.updated())}\n        return null;\n    end if;\n"
        f"    if tg_op in ('UPDATE', 'DELETE') then\n{steps(*bodies.deleted())}\n    end if;\n"
        f"    if tg_op in ('UPDATE', 'INSERT') then\n{steps(*bodies.inserted())}\n    end if;\n"
        "    return null;"
    )
