{#- Merge replication: which tracked columns a change of an article writes, as an array of names:
    those that it says it changed, all of them where it says nothing, and for an insert or a delete.
    Rule: column tracking; a row that is tracked as a whole is one column, '*'. -#}
{% macro written_columns(options) -%}
    {%- set all_columns = (
        "array('" ~ replication_conflicts.tracked_columns(options) | join("', '") ~ "')"
    ) -%}
    {%- if options.get('tracking', 'row') != 'column' -%}
        {{ all_columns }}
    {%- else -%}
        if(
            operation = 'update' and changed_columns is not null,
            array_intersect(changed_columns, {{ all_columns }}),
            {{ all_columns }}
        )
    {%- endif -%}
{%- endmacro %}
