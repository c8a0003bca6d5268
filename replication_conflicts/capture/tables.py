"""What capture keeps in a node's database."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, MetaData, Table, Text, text

metadata = MetaData()

nodes = Table(
    "replication_node",
    metadata,
    Column("publication", Text, primary_key=True),
    Column("node", Text, nullable=False),
    # counted on from the moment of the installation: another one of the node has other numbers
    Column("next_batch", BigInteger, nullable=False),
    # how many rows the batch has that is on its way; NULL: none is; 0: none is, and the last one
    # was dropped by a reinitialization
    Column("batch_size", Integer),
    # merge replication: the last version number (SQLite), and what changes are stamped with
    Column("last_number", BigInteger, nullable=False, server_default="0"),
    Column("priority", Text),
    # what `install` was told about rows that were there
    Column("existing_rows", Text, nullable=False),
    comment="As which node this database takes part in a publication.",
)
articles = Table(
    "replication_article",
    metadata,
    Column("publication", Text, primary_key=True),
    Column("article", Text, primary_key=True),
    Column("version_column", Text, nullable=False),
    Column("has_added_column", Boolean, nullable=False),
    # the columns, types and key that the triggers are made for, as JSON
    Column("shape", Text, nullable=False),
    comment="Tables whose changes are captured.",
)
queue = Table(
    "replication_queue",
    metadata,
    Column(
        "queue_id",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=True,
    ),
    Column("publication", Text, nullable=False),
    Column("article", Text, nullable=False),
    Column("change_id", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("changed_at", Text, nullable=False),
    Column("old_version", Text),
    Column("new_version", Text),
    # NULL only inside the trigger that writes the row
    Column("row_image", Text),
    # merge replication: lineage, changed columns, previous values and priority, as JSON
    Column("merge_record", Text),
    # what the changes of one transaction have in common
    Column("transaction_key", Text, nullable=False),
    # filled when the change becomes part of a batch
    Column("batch", BigInteger),
    Column("transaction_id", Text),
    Column("transaction_change_count", Integer),
    Column("transaction_order", BigInteger),
    comment="Changes that have not arrived in the feed yet.",
    sqlite_autoincrement=True,
)
Index("replication_queue_batch", queue.c.publication, queue.c.batch, queue.c.transaction_key)

# merge replication only
passed_over = Table(
    "replication_passed_over",
    metadata,
    Column("command_id", Text, primary_key=True),
    Column("publication", Text, nullable=False),
    Column("article", Text, nullable=False),
    Column("row_key", Text, nullable=False),
    Column("queue_position", BigInteger, nullable=False),
    # acts of people behind a place have it in the upper half
    Column("sequence", BigInteger, nullable=False),
    Column("command", Text, nullable=False),
    comment="Commands that found an insert that is not uploaded: if it is deleted, they act.",
)

# SQLite only
open_transaction = Table(
    "replication_transaction",
    metadata,
    Column(
        "marker",
        Text,
        server_default=text("(lower(hex(randomblob(16))))"),
        nullable=False,
    ),
    comment="Holds a row while an application's transaction of several statements is open.",
)
replaced = Table(
    "replication_replaced",
    metadata,
    Column("article", Text, nullable=False),
    Column("key_image", Text, nullable=False),
    Column("row_image", Text),
    Column("version", Text),
    Column("is_key_clash", Boolean, nullable=False),
    # the clock of the statement: what an earlier one has left here is not in the way any more
    Column("noted_at", Text, nullable=False),
    # by which the row is found again; NULL in a table without rowid
    Column("row_number", BigInteger),
    # merge replication: the number of the row beside it, which has its version and its lineage
    Column("beside", Integer),
    comment="Rows in the way of one that is being written: an `or replace` deletes them unseen.",
)
new_key = Table(
    "replication_new_key",
    metadata,
    Column("article", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("key_image", Text, primary_key=True),
    comment="Keys that rows are getting, and the versions that these rows have under another key.",
)
SQLITE_ONLY = (open_transaction, replaced, new_key)
