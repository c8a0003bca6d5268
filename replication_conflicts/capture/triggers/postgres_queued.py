"""Triggers of queued updating in PostgreSQL.

One function gives the row its version before it is written, another writes the queue afterwards,
when everything else that changes the row has done so and the row is locked: changes of a row enter
the queue in the order in which they are committed.
"""

from __future__ import annotations

from replication_conflicts.database.articles import NodeArticle
from replication_conflicts.database.engine import AGENT_SETTING
from replication_conflicts.database.images import image_sql, literal, quoted
from replication_conflicts.database.metadata import short_name

IS_NODES_OWN = f"current_setting('{AGENT_SETTING}', true) is distinct from 'on'"
# rows look the same whoever writes them: a session may have other settings, and fewer rights
_SETTINGS = (
    "security definer set datestyle = 'ISO' set timezone = 'UTC' set extra_float_digits = 1"
    # an error, where a policy would hide rows
    " set row_security = off"
)
BODY = "$capture$"
# a database that is restored elsewhere has changes of transactions whose numbers are given again
_TRANSACTION = "txid_current() || '/' || extract(epoch from transaction_timestamp())"


def queue_trigger(article: str) -> str:
    """The trigger that writes the queue."""
    return short_name(f"_replication_queue_{article}")


def plain_names(article: str) -> tuple[str, str, str]:
    """The triggers of an article as the catalog has them: version, queue, truncate.

    Triggers go by name: the version is set after other triggers have had their say. The queue is
    written after what foreign keys do (RI_...) and before other triggers, which may change the row
    once more.
    """
    return (
        short_name(f"zz_replication_version_{article}"),
        queue_trigger(article),
        short_name(f"zz_replication_truncate_{article}"),
    )


def names(article: str) -> tuple[str, str, str]:
    """The same, and their functions, as statements have them."""
    version, queue, truncate = map(quoted, plain_names(article))
    return version, queue, truncate


def drop(article: str) -> tuple[str, ...]:
    """Statements that take triggers and functions away."""
    triggers = [f"drop trigger if exists {name} on {quoted(article)}" for name in names(article)]
    # partitions have triggers of their own, which go with the function
    return (*triggers, *(f"drop function if exists {name}() cascade" for name in names(article)))


def create(publication: str, article: NodeArticle) -> tuple[str, ...]:
    """Functions and triggers, statement by statement."""
    version, queue, truncate = names(article.name)
    table = quoted(article.name)
    return (
        *function(version, _version_body(article)),
        *function(queue, _queue_body(publication, article)),
        *function(truncate, truncate_body(article)),
        f"create trigger {version} before insert or update on {table} for each row"
        f" when ({IS_NODES_OWN}) execute function {version}()",
        f"create trigger {queue} after insert or update or delete on {table} for each row"
        f" when ({IS_NODES_OWN}) execute function {queue}()",
        *truncate_triggers(article.name),
        *always_run(article.name),
    )


def function(name: str, body: str) -> tuple[str, str]:
    """A trigger function: names in it mean what they mean to who installs it.

    A temporary table, which every session may have under any name, comes last.
    """
    path = "concat_ws(', ', nullif(current_setting('search_path'), ''), 'pg_temp')"
    return (
        f"create function {name}() returns trigger language plpgsql {_SETTINGS} as {BODY}\n"
        f"begin\n{body}\nend\n{BODY}",
        f"do {BODY}\nbegin\n"
        f"    execute {literal(f'alter function {name}() set search_path = ')} || {path};\n"
        f"end\n{BODY}",
    )


def truncate_triggers(article: str) -> tuple[str, ...]:
    """They refuse a truncate, also of a partition: one of the whole table is only of these."""
    _, _, truncate = names(article)
    table = quoted(article)
    fired = f"for each statement execute function {truncate}()"
    always = literal(f" enable always trigger {truncate}")
    return (
        f"create trigger {truncate} before truncate on {table} {fired}",
        f"do {BODY}\n"
        "declare part regclass;\n"
        "begin\n"
        "    for part in\n"
        f"        select relid from pg_partition_tree({literal(table)}) where level > 0\n"
        "    loop\n"
        f"        execute {literal(f'create trigger {truncate} before truncate on ')}"
        f" || part || {literal(f' {fired}')};\n"
        f"        execute 'alter table ' || part || {always};\n"
        f"    end loop;\nend\n{BODY}",
    )


def always_run(article: str) -> tuple[str, ...]:
    """Triggers run whoever writes: also for rows that PostgreSQL's own replication brings."""
    return tuple(
        f"alter table {quoted(article)} enable always trigger {name}" for name in names(article)
    )


def truncate_body(article: NodeArticle) -> str:
    """A truncate tells nobody which rows it takes."""
    message = f"replication: {article.name} is captured row by row; use delete"
    return f"    raise exception using message = {literal(message)};"


def refuse_no_key(article: NodeArticle) -> str:
    """What is unique may be NULL, and no feed takes a row without a key."""
    keys = article.shape.primary_key
    is_missing = " or ".join(f"new.{quoted(name)} is null" for name in keys)
    message = f"replication: {article.name} takes no row without a key ({', '.join(keys)})"
    return (
        f"    if {is_missing} then\n        raise exception using errcode = 'not_null_violation',"
        f" message = {literal(message)};\n    end if;\n"
    )


def key_is_kept(article: NodeArticle) -> str:
    """Whether an update leaves the key as it was."""
    return " and ".join(
        f"old.{quoted(name)} is not distinct from new.{quoted(name)}"
        for name in article.shape.primary_key
    )


def _version_body(article: NodeArticle) -> str:
    version = quoted(article.shape.version_column)
    return f"{refuse_no_key(article)}    new.{version} := gen_random_uuid()::text;\n    return new;"


def _queue_body(publication: str, article: NodeArticle) -> str:
    version = quoted(article.shape.version_column)
    new_image = image_sql(article, "postgres", "new")
    old_key = image_sql(article, "postgres", "old", article.shape.primary_key)

    def queue(operation: str, old: str, new: str, image: str) -> str:
        return (
            "insert into replication_queue (publication, article, change_id, operation, changed_at,"
            " old_version, new_version, row_image, transaction_key)\n"
            f"        values ({literal(publication)}, {literal(article.name)},"
            f" gen_random_uuid()::text, '{operation}', clock_timestamp()::timestamp::text,\n"
            f"            {old}, {new}, {image}, {_TRANSACTION});"
        )

    removed = queue("delete", f"old.{version}", "null", old_key)
    added = queue("insert", "null", f"new.{version}", new_image)
    changed = queue("update", f"old.{version}", f"new.{version}", new_image)
    # a row without a version came before capture: nobody else has it
    is_known = f"old.{version} is not null"
    return (
        f"    if tg_op = 'UPDATE' and {key_is_kept(article)} and {is_known} then\n"
        f"        {changed}\n        return null;\n    end if;\n"
        f"    if tg_op in ('UPDATE', 'DELETE') and {is_known} then\n"
        f"        {removed}\n    end if;\n"
        f"    if tg_op in ('UPDATE', 'INSERT') then\n        {added}\n    end if;\n"
        "    return null;"
    )
