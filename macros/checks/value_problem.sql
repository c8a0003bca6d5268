{#- Why an option may not have a value, by its rule (option_rules), or none. -#}
{% macro value_problem(value, rule) -%}
    {%- set form = rule.get('form') -%}
    {%- set values = rule.get('values') -%}
    {%- if value is none -%}
        {{ return('has no value') }}
    {%- elif values and value not in values -%}
        {{ return("is '" ~ value ~ "', must be one of: " ~ values | join(', ')) }}
    {%- elif form == 'text' and not (value is string and value | trim) -%}
        {{ return("is '" ~ value ~ "', must be text") }}
    {%- elif form == 'days' and not (value is integer and value > 0) -%}
        {{ return("is '" ~ value ~ "', must be a whole number of days, 1 or more") }}
    {%- elif form == 'flag' and value is not boolean -%}
        {{ return("is '" ~ value ~ "', must be true or false") }}
    {%- elif form == 'list' and not replication_conflicts.is_list(value) -%}
        {{ return("is '" ~ value ~ "', must be a list") }}
    {%- elif form == 'mapping' and value is not mapping -%}
        {{ return("is '" ~ value ~ "', must be a mapping (name: value)") }}
    {%- elif rule.get('required') and not value -%}
        {{ return('is empty') }}
    {%- endif -%}
    {{ return(none) }}
{%- endmacro %}
