{#- What interventions look at in the decision log, as a query without rows: no run has written a log yet. -#}
{% macro no_outcomes() -%}
{%- set columns = {
    'publication': 'string', 'article': 'string', 'row_key': 'string', 'change_id': 'string', 'node': 'string',
    'transaction_position': 'bigint', 'queue_position': 'bigint', 'operation': 'string', 'rule': 'string',
    'conflict_id': 'string', 'loser_node': 'string', 'loser_change_id': 'string', 'publisher_version': 'string',
    'change_row': 'map<string,string>', 'held_row': 'map<string,string>', 'merged_row': 'map<string,string>',
    'is_written': 'boolean', 'merge_version': replication_conflicts.merge_version_type()
} -%}
select
    {%- for name, data_type in columns.items() %}
    cast(null as {{ data_type }}) as {{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
where false
{%- endmacro %}
