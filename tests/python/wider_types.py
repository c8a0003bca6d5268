"""Pairs of types, before and now: what the macro `is_wider` and `ColumnType.is_wider_than` say."""

from __future__ import annotations

WIDER = [
    ("tinyint", "smallint"),
    ("smallint", "bigint"),
    ("int", "bigint"),
    ("decimal(9,2)", "decimal(11,2)"),
    ("varchar(9)", "varchar(11)"),
    ("varchar(9)", "string"),
]
OTHER = [
    ("bigint", "int"),
    ("int", "decimal(10,0)"),
    ("float", "double"),
    ("decimal(11,2)", "decimal(9,2)"),
    ("decimal(9,2)", "decimal(11,4)"),
    ("varchar(11)", "varchar(9)"),
    ("string", "varchar(9)"),
    ("char(9)", "char(11)"),
    ("char(9)", "string"),
    ("date", "timestamp"),
]
