"""Resolvers, each broken on purpose."""

from __future__ import annotations

from tests.python.mutants.mutant import Mutant

RESOLVERS = (
    Mutant(
        "the earlier value wins where the later one should",
        "macros/resolvers/resolver_later_wins.sql",
        "'>'",
        "'<'",
    ),
    Mutant(
        "the smaller value wins where the larger one should",
        "macros/resolvers/resolver_maximum.sql",
        "'>'",
        "'<'",
    ),
    Mutant(
        "no value wins against a value",
        "macros/resolvers/winner_by_value.sql",
        "{{ given.held_value }} is null then 'change'",
        "{{ given.held_value }} is null then 'held'",
    ),
    Mutant(
        "a sum where nothing is added up",
        "macros/resolvers/resolver_additive.sql",
        "'coalesce(' ~ change ~ ' + ' ~ held ~ ', '",
        "'coalesce(' ~ change ~ ', '",
    ),
    Mutant(
        "what a change adds is the value that it has",
        "macros/resolvers/resolver_additive_delta.sql",
        " - coalesce({{ previous }}, {{ nothing }})",
        "",
    ),
    Mutant(
        "the mean is half of it",
        "macros/resolvers/resolver_averaging.sql",
        "') * 0.5'",
        "') * 0.25'",
    ),
    Mutant(
        "texts have their common beginning twice",
        "macros/resolvers/resolver_merge_text.sql",
        "{{ common }} + 1",
        "1",
    ),
    Mutant(
        "what waits for a person has lost",
        "macros/resolvers/resolver_manual.sql",
        "is_waiting='true'",
        "is_waiting='false'",
    ),
)
