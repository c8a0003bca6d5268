{#- The operation of a change as the feed contract looks at it: images are known for articles of
    logical records. Over the columns publication, article and operation of a relation. -#}
{% macro operation_of_contract(relation='') -%}
    {%- set conditions = [] -%}
    {%- for one in replication_conflicts.record_articles() -%}
        {%- do conditions.append(
            "(" ~ relation ~ "publication = '" ~ one.publication ~ "' and " ~ relation
            ~ "article = '" ~ one.article ~ "')"
        ) -%}
    {%- endfor -%}
    {%- if not conditions -%}
        {{ return(relation ~ 'operation') }}
    {%- endif -%}
    {{ return(
        'if(' ~ relation ~ "operation = 'image' and (" ~ conditions | join(' or ') ~ "), 'update', "
        ~ relation ~ 'operation)'
    ) }}
{%- endmacro %}
