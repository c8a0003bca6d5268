{#- Whether a row has a later change in the run: what is assumed of this one is looked at then. A
    window function over the columns row_hash, publication, article and row_key; `order_by` is the
    order in which changes are taken. -#}
{% macro is_followed(order_by) -%}
lead(true) over (
            partition by row_hash, publication, article, row_key
            order by {{ order_by }}
        ) is not null
{%- endmacro %}
