"""What is measured with: published rows and change feeds, written by Spark, the same for each seed.

Every change but the stale ones was made on the version that the publisher holds then, so that what
must come out is known: a transaction is rejected if it is stale, and else accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PUBLICATION = "shop"
ARTICLE = "item"
PUBLISHER = "HQ"
SUBSCRIBERS = ("north", "east", "south", "west")
# who knows nothing of what the others do, and loses for it: of a node's own versions it would know
_STALE_NODE = SUBSCRIBERS[-1]

COLUMNS = {
    "item_id": "bigint",
    "name": "string",
    "quantity": "int",
    "price": "decimal(12,2)",
    "note": "string",
    "counted_at": "timestamp",
}

# where the keys of inserted rows begin: no later change goes there
_NEW_KEYS = 1_000_000_000_000
_SEED = 20_260
_ROW = "'row'"

_VERSION_COLUMNS = {
    "queued": ("old_version", "new_version"),
    "merge": ("lineage", "changed_columns"),
}


def options(replication: str) -> dict[str, Any]:
    """The publication's entry under `vars: publications:`."""
    article: dict[str, Any] = {
        "columns": COLUMNS,
        "primary_key": ["item_id"],
        "initial_snapshot": True,
    }
    common: dict[str, Any] = {"replication": replication, "publisher": PUBLISHER}
    if replication == "merge":
        article["tracking"] = "column"
    else:
        common["policy"] = "publisher_wins"
    return {**common, "articles": {ARTICLE: article}}


def initial_rows(rows: int, replication: str) -> str:
    """A query of the rows that are published before the first change."""
    version = f"'{PUBLISHER}:1'" if replication == "merge" else "md5(concat('initial/', id))"
    return f"""
        select
            id as item_id,
            concat('item ', id) as name,
            cast(pmod({_hash("id", "'quantity'")}, 1000) as int) as quantity,
            cast(pmod({_hash("id", "'price'")}, 100000) / 100 as decimal(12, 2)) as price,
            concat('on shelf ', pmod({_hash("id", "'note'")}, 500)) as note,
            timestamp'2026-01-01' + make_dt_interval(0, 0, 0, pmod(id, 86400)) as counted_at,
            {version} as row_version
        from range({rows})
    """


@dataclass(frozen=True)
class Batch:
    """What arrives between two runs.

    `rows`: how many of the published rows its changes are spread over; as many as it has changes or
    more with `is_spread`: each then goes to a row of its own. `stale`: the share of transactions
    that do not know what the publisher holds, all of them of one node. `with_new_rows`: some rows
    are new, and some go.
    `known_nodes`: of merge replication, how many nodes besides the subscribers a change knows.
    """

    changes: int
    rows: int
    stale: float = 0.01
    transaction_size: int = 2
    is_spread: bool = False
    with_new_rows: bool = True
    known_nodes: int = 0

    def feed(self, place: Place, published: str, replication: str) -> str:
        """A query of its feed.

        `published`: the rows that are published when it arrives, tombstones included: the
        article's columns, row_version, and for merge replication lineage.
        """
        versions = _QUEUED_VERSIONS
        if replication == "merge":
            versions = _MERGE_VERSIONS.replace("_others", _others(self.known_nodes))
        return _FEED.format_map(
            {
                "changes": self.changes,
                "first_position": place.first_position,
                "transaction_size": self.transaction_size,
                "seed": _SEED + place.number,
                "nodes": ", ".join(f"'{name}'" for name in SUBSCRIBERS[:-1]),
                "node_count": len(SUBSCRIBERS) - 1,
                "stale_node": _STALE_NODE,
                "key": self._key(_SEED + place.number),
                "stale_below": round(self.stale * 10_000),
                "new_below": 5 if self.with_new_rows else 0,
                "deleted_from": 95 if self.with_new_rows else 100,
                "new_keys": _NEW_KEYS + place.first_position,
                "published": published,
                "versions": versions,
                "version_columns": ", ".join(_VERSION_COLUMNS[replication]),
                "batch": place.number,
            }
        )

    def _key(self, seed: int) -> str:
        if self.is_spread:
            apart = self.rows // self.changes
            return f"n * {apart} + {seed % apart}"
        return f"pmod({_hash(str(seed), 'n', _ROW)}, {self.rows})"


@dataclass(frozen=True)
class Place:
    """Where a batch stands in the queue: the how-manieth it is, and its first and next position."""

    number: int
    first_position: int
    next_position: int

    def behind(self, batch: Batch) -> Place:
        """The place of a batch that arrives behind what is here."""
        first = self.next_position
        return Place(self.number + 1, first, first + batch.changes)

    @property
    def condition(self) -> str:
        """What holds of the positions in it."""
        return f"queue_position >= {self.first_position} and queue_position < {self.next_position}"


EMPTY = Place(0, 1, 1)


def _others(nodes: int) -> str:
    if nodes == 0:
        return "cast(map() as map<string,bigint>)"
    return (
        f"map_from_entries(transform(sequence(1, {nodes}), "
        "number -> struct(concat('region_', number), cast(number as bigint))))"
    )


def _hash(*arguments: str) -> str:
    return f"xxhash64({', '.join(arguments)})"


_QUEUED_VERSIONS = """
        case
            when operation = 'insert' then null
            when is_stale then md5(concat('stale/', queue_position))
            else version_before
        end as old_version,
        if(operation = 'delete', null, version) as new_version"""

# a clean change knows what the row's versions know, and the last one before it
_MERGE_VERSIONS = """
        map_concat(
            _others,
            map_filter(
                if(is_stale, _nothing, coalesce(lineage_before_run, _nothing)),
                (writer, number) -> writer <> node and not writer <=> accepted_before.node
            ),
            if(
                is_stale or accepted_before is null or accepted_before.node = node,
                _nothing,
                map(accepted_before.node, accepted_before.queue_position)
            ),
            map(node, queue_position)
        ) as lineage,
        case
            when operation <> 'update' then null
            when is_stale then array('quantity', 'price', 'note')
            when writes_quantity then array('quantity')
            else array('price', 'note')
        end as changed_columns""".replace("_nothing", "cast(map() as map<string,bigint>)")

_FEED = """
with

drawn as (
    select
        id as n,
        id + {first_position} as queue_position,
        id div {transaction_size} as transaction_number,
        pmod(xxhash64({seed}, id, 'operation'), 100) as draw,
        pmod(xxhash64({seed}, id div {transaction_size}, 'node'), {node_count}) as node_number,
        pmod(xxhash64({seed}, id div {transaction_size}, 'stale'), 10000)
        < {stale_below} as is_stale
    from range({changes})
),

addressed as (
    select
        *,
        if(is_stale, '{stale_node}', element_at(array({nodes}), cast(node_number + 1 as int)))
            as node,
        if(not is_stale and draw < {new_below}, {new_keys} + n, {key}) as item_id,
        md5(concat({batch}, '/', n)) as version
    from drawn
),

-- beside what is published of the row
met as (
    select
        addressed.*,
        published.row_version as version_before_run,
        published.lineage as lineage_before_run,
        published.name,
        published.quantity as quantity_before_run,
        published.price as price_before_run,
        published.note as note_before_run,
        published.counted_at,
        row_number() over (
            partition by addressed.item_id, addressed.is_stale order by addressed.queue_position
        ) = 1 and not addressed.is_stale and published.row_version is null as is_insert
    from addressed
    left join {published} as published on addressed.item_id = published.item_id
),

-- a change writes some of the columns, an insert and what is stale all of them
written as (
    select
        *,
        is_insert or is_stale or queue_position % 2 = 0 as writes_quantity,
        is_insert or is_stale or queue_position % 2 = 1 as writes_price,
        cast(pmod(xxhash64({seed}, n, 'quantity'), 1000) as int) as new_quantity,
        cast(pmod(xxhash64({seed}, n, 'price'), 100000) / 100 as decimal(12, 2)) as new_price,
        concat('moved to shelf ', pmod(xxhash64({seed}, n, 'note'), 500)) as new_note
    from met
),

-- what the queue has done to the row before the change
chained as (
    select
        *,
        last_value(
            if(is_stale, null, struct(version, node, queue_position)), true
        ) over before_it as accepted_before,
        last_value(
            if(not is_stale and writes_quantity, new_quantity, null), true
        ) over before_it as quantity_before,
        last_value(
            if(not is_stale and writes_price, struct(new_price, new_note), null), true
        ) over before_it as price_before,
        lead(n) over (partition by item_id order by queue_position) is null as is_last
    from written
    window before_it as (
        partition by item_id order by queue_position
        rows between unbounded preceding and 1 preceding
    )
),

operated as (
    select
        *,
        coalesce(accepted_before.version, version_before_run) as version_before,
        case
            when is_insert then 'insert'
            when draw >= {deleted_from} and is_last and not is_stale then 'delete'
            else 'update'
        end as operation
    from chained
),

versioned as (
    select
        *,{versions}
    from operated
)

select
    concat(if(is_stale, 'stale/', 'clean/'), queue_position) as change_id,
    queue_position,
    node,
    concat({batch}, '/', transaction_number) as transaction_id,
    cast(
        least({transaction_size}, {changes} - transaction_number * {transaction_size}) as int
    ) as transaction_change_count,
    operation,
    timestamp'2026-03-01' + make_dt_interval(0, 0, 0, queue_position / 100) as changed_at,
    {version_columns},
    item_id,
    coalesce(name, concat('item ', item_id)) as name,
    if(writes_quantity, new_quantity, coalesce(quantity_before, quantity_before_run)) as quantity,
    if(writes_price, new_price, coalesce(price_before.new_price, price_before_run)) as price,
    if(writes_price, new_note, coalesce(price_before.new_note, note_before_run)) as note,
    coalesce(counted_at, timestamp'2026-03-01') as counted_at
from versioned
"""
