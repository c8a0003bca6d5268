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
    {#- SQL has no timestamp of any number of days ago -#}
    {%- elif form == 'days' and not (value is integer and 1 <= value <= 100000) -%}
        {{ return("is '" ~ value ~ "', must be a whole number of days, 1 to 100000") }}
    {%- elif form == 'flag' and value is not boolean -%}
        {{ return("is '" ~ value ~ "', must be true or false") }}
    {%- elif form == 'list' and not replication_conflicts.is_list(value) -%}
        {{ return("is '" ~ value ~ "', must be a list") }}
    {%- elif form in ['mapping', 'texts'] and value is not mapping -%}
        {{ return("is '" ~ value ~ "', must be a mapping (name: value)") }}
    {%- elif form == 'named' and value is not mapping -%}
        {{ return(
            "is '" ~ value ~ "', must be a mapping with a name: {name: "
            ~ (value if value is string and value else '...') ~ '}'
        ) }}
    {%- elif rule.get('required') and not value -%}
        {{ return('is empty') }}
    {%- elif form == 'texts' -%}
        {%- for name, text in value.items() if not (text is string and text | trim) -%}
            {{ return(
                "'" ~ name ~ ("' has no value" if text is none else "' is '" ~ text ~ "'")
                ~ ', must be text'
            ) }}
        {%- endfor -%}
    {%- endif -%}
    {{ return(none) }}
{%- endmacro %}
