{#- Whether a scratch table is there and has rows of this run for which a condition holds. -#}
{% macro scratch_has_rows(relation, condition='true') -%}
    {{ return(
        load_cached_relation(relation) is not none
        and run_query(
            'select 1 from ' ~ relation ~ " where run_id = '" ~ invocation_id ~ "' and ("
            ~ condition ~ ') limit 1'
        ).rows | length > 0
    ) }}
{%- endmacro %}
