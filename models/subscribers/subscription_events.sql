{{ config(materialized='kept_view') }}

-- What the Distribution Agent reports of the demo's subscribers. No seed: a build loads that anew,
-- and what the agent has written since would be gone before a run has seen it.

select
    publication,
    subscriber,
    event,
    snapshot_position,
    queue_position,
    at
from {{ source('feeds', 'subscription_events') }}
