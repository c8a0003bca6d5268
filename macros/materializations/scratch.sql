{#- A table for the models of the same run alone: plain files, replaced when there is something to put in, else left as it
    is. Its rows carry the run's id (run_id), and whoever reads it takes the rows of the own run.

    config:
      reads   name of the scratch model that it is made from: where that has no rows of this run, nothing is done -#}
{% materialization scratch, adapter='spark' -%}
    {%- set target = this.incorporate(type='table') -%}
    {%- set existing = load_cached_relation(this) -%}
    {%- set upstream = config.get('reads') -%}

    {{ run_hooks(pre_hooks) }}
    {%- if existing is not none and upstream and not replication_conflicts.scratch_has_rows(ref(upstream)) -%}
        {%- call noop_statement('main', 'no rows') -%}{%- endcall -%}
    {%- else -%}
        {%- call statement('drop_scratch') -%}
            drop table if exists {{ target }}
        {%- endcall -%}
        {%- call statement('main') -%}
            create table {{ target }} using parquet as
            {{ sql }}
        {%- endcall -%}
    {%- endif -%}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target]}) }}
{%- endmaterialization %}


{#- Whether a scratch table has rows of this run. -#}
{% macro scratch_has_rows(relation) -%}
    {{ return(
        run_query('select 1 from ' ~ relation ~ " where run_id = '" ~ invocation_id ~ "' limit 1").rows | length > 0
    ) }}
{%- endmacro %}
