"""Java's archive of Spark's classes: made once, it saves every later start some seconds.

A start of Spark loads some twenty thousand classes, which Java otherwise reads and checks anew each
time. Java ignores an archive that is not there or was made from other files: a virtual environment
that was made anew, or a project that was moved, needs another one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.metadata import distribution, version
from pathlib import Path

from replication_conflicts.environment import check, folders, jars, profile, session

# starts Spark with the profile in this folder, works, and waits until Java has written the archive
_MAKE = "from replication_conflicts.environment.class_archive import _work; _work()"
_ARCHIVE = "REPLICATION_CONFLICTS_ARCHIVE"
_MOST_SECONDS = 600.0

# what a build makes use of: tables, merges, views, windows, JSON, higher-order functions
_STATEMENTS = (
    "create schema archive",
    "create table archive.rows (id bigint, word string, data map<string, string>) using delta"
    " tblproperties ('delta.enableDeletionVectors' = 'true')",
    "insert into archive.rows select id, cast(id as string), map('a', 'b') from range(100)",
    "merge into archive.rows as held using (select id + 50 as id, 'new' as word,"
    " map('a', 'c') as data from range(100)) as news on held.id = news.id"
    " when matched then update set * when not matched then insert *",
    "create table archive.scratch using parquet as"
    " select *, lag(word) over (partition by id % 7 order by id) as before,"
    " last_value(if(id % 2 = 0, struct(id, data), null), true) over (partition by id % 7"
    " order by id rows between unbounded preceding and 1 preceding) as held,"
    " max(id) over (partition by word) as top from archive.rows",
    "create or replace view archive.shown as select held.id, held.word,"
    " to_json(struct(held.data, news.held)) as text, md5(held.word) as hash,"
    " transform_values(held.data, (name, value) -> coalesce(value, name)) as data,"
    " filter(sequence(1, 3), one -> one > 1) as numbers, try_cast(held.word as decimal) as amount,"
    " cast(current_timestamp() as string) as at"
    " from archive.rows as held left join archive.scratch as news on held.id = news.id"
    " union all select 1, 'a', null, null, null, null, 1.0, null",
    "select word, count(*), collect_set(text), max_by(id, word), count(distinct hash)"
    " from archive.shown where try_cast(word as int) is null group by word order by 1 limit 5",
    "show tables in archive",
    "show table extended in archive like '*'",
    "describe extended archive.rows",
    "truncate table archive.scratch",
    "drop table archive.scratch",
)


def archive_file() -> Path:
    """The archive of this machine, beside the jars."""
    return folders.class_archive()


def is_current() -> bool:
    """Whether `make` was run with this Java, this Spark and these jars."""
    note = _note()
    return note.is_file() and note.read_text(encoding="utf-8") == _made_of()


def make() -> str | None:
    """Make the archive; what was in the way of it, if anything. The jars must be there."""
    archive = archive_file()
    with tempfile.TemporaryDirectory(dir=archive.parent.parent, prefix="classes-") as temporary:
        made = Path(temporary) / archive.name
        problem = _problem_of_making(made, archive.parent.parent / "class_archive.log")
        if problem is None:
            made.replace(archive)
    _note().write_text(_made_of(), encoding="utf-8")
    return problem


def _problem_of_making(made: Path, log_file: Path) -> str | None:
    with log_file.open("w", encoding="utf-8") as log:
        try:
            subprocess.run(
                [sys.executable, "-c", _MAKE],
                env={**os.environ, _ARCHIVE: str(made)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=_MOST_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return (
                f"The archive was not made within {_MOST_SECONDS:.0f} s ({log_file})."
                f" To try again, delete {_note()}."
            )
    return None if made.is_file() else f"This Java makes no archive ({log_file})."


def _note() -> Path:
    """What the archive was made of, beside it."""
    return archive_file().with_suffix(".txt")


def _made_of() -> str:
    """What an archive depends on. `make` notes it also where nothing could be made, to try once."""
    java = check.java_version_text(check.java_command() or "java")
    return "\n".join([java or "", version("pyspark"), *sorted(jars.checksums()), *_jars_in_use()])


def _jars_in_use() -> list[str]:
    """Where the jars are, and since when: Java takes an archive of these very files alone."""
    spark = Path(str(distribution("pyspark").locate_file("pyspark/jars")))
    places = (spark, folders.jars_folder())
    found = [(place, [file.stat().st_mtime_ns for file in place.glob("*.jar")]) for place in places]
    return [f"{place.resolve()} {max(times, default=0)}" for place, times in found]


def _work() -> None:
    """Runs in a process of its own: Java writes the archive when it ends."""
    from pyspark import SparkContext

    archive = Path(os.environ[_ARCHIVE])
    parameters = profile.embedded_parameters(archive.parent)
    words = parameters[session.JAVA_OPTIONS].split(" ")
    kept = [word for word in words if profile.SHARED_CLASSES not in word]
    parameters[session.JAVA_OPTIONS] = " ".join([*kept, f"-XX:ArchiveClassesAtExit={archive}"])
    spark = session.start(parameters, archive.parent)
    for statement in _STATEMENTS:
        spark.sql(statement).collect()
    gateway = SparkContext._gateway
    spark.stop()
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(_MOST_SECONDS)
