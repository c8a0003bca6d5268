{#- The columns of a query that says something about inputs, so that several can be asked at once.
    `subject`: what it is about, an SQL expression. `facts`: a mapping of column to SQL expression;
    the others are NULL. -#}
{% macro input_facts(subject, facts) -%}
    {%- set columns = [
        'publication', 'article', 'subscriber', 'value', 'number', 'priority', 'is_republisher',
        'below', 'conflict_id', 'unreadable'
    ] -%}
    {%- set selected = [subject ~ ' as subject'] -%}
    {%- for column in columns -%}
        {%- do selected.append(facts.get(column, 'null') ~ ' as ' ~ column) -%}
    {%- endfor -%}
    {{ return(selected | join(', ')) }}
{%- endmacro %}
