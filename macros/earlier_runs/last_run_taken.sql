{#- The last run whose decisions a ledger model's own table has taken, as an SQL expression: what is
    newer in the decision log is news. 0 where the model gives everything: there is no table yet, or
    a full refresh was asked for. The ledger puts the number itself in its place (newest_run), so
    that only the partitions of the log that are newer are read. -#}
{% macro last_run_taken() -%}
    {{ replication_conflicts.newest_run(this) if replication_conflicts.takes_only_news() else 0 }}
{%- endmacro %}
