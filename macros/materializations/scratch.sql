{#- A table for the models of the same run alone: plain files, replaced when there is something to
    put in, else left as it is. Its rows carry the run's id (run_id), and whoever reads it takes the
    rows of the own run.

    config:
      reads   name of the scratch model that it is made from, or a list of names: where none of them
              has rows of this run, nothing is done
      taking  condition on those rows: only they count
      when    {model, where}: nothing is done unless that relation is there and has such rows -#}
{% materialization scratch, adapter='spark' -%}
    {%- set target = this.incorporate(type='table') -%}
    {%- set existing = load_cached_relation(this) -%}
    {%- set upstream = config.get('reads') -%}
    {%- set taking = config.get('taking', 'true') -%}
    {%- set when = config.get('when') -%}

    {{ run_hooks(pre_hooks) }}
    {%- if (when and not replication_conflicts.ledger_has_news(when, 0))
        or (
            existing is not none
            and upstream
            and not replication_conflicts._any_has_rows(upstream, taking)
        ) -%}
        {%- call noop_statement('main', 'no rows') -%}{%- endcall -%}
        {{ return({'relations': [target] if existing is not none else []}) }}
    {%- else -%}
        {%- call statement('drop_scratch') -%}
            drop table if exists {{ target }}
        {%- endcall -%}
        {%- call statement('main') -%}
            create table {{ target }} {{ replication_conflicts.scratch_format() }} as
            {{ sql }}
        {%- endcall -%}
    {%- endif -%}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target]}) }}
{%- endmaterialization %}


{#- Whether any of several scratch models, one name or a list of names, has rows of this run for
    which a condition holds. -#}
{% macro _any_has_rows(models, condition='true') -%}
    {%- for name in ([models] if models is string else models)
        if replication_conflicts.scratch_has_rows(ref(name), condition)
    -%}
        {{ return(true) }}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
