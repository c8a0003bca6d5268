{#- Whether a column's type has every value of another one, and the same canonical text for it: then
    nothing that is decided looks like something else. A larger whole number, more digits before the
    point, a longer text. Not a double instead of a float, which has more digits, nor another scale.

    data_type, before: as articles declare them -#}
{% macro is_wider(data_type, before) -%}
    {%- set now, then = data_type | lower | replace(' ', ''), before | lower | replace(' ', '') -%}
    {%- set whole = replication_conflicts.whole_number_types() -%}
    {%- if now in whole and then in whole -%}
        {{ return(whole.index(now) > whole.index(then)) }}
    {%- endif -%}
    {%- set decimals = (
        modules.re.findall('^decimal\\((\\d+),(\\d+)\\)$', then)
        + modules.re.findall('^decimal\\((\\d+),(\\d+)\\)$', now)
    ) -%}
    {%- if decimals | length == 2 -%}
        {{ return(
            decimals[0][1] == decimals[1][1] and decimals[0][0] | int < decimals[1][0] | int
        ) }}
    {%- endif -%}
    {%- set longest = (
        modules.re.findall('^varchar\\((\\d+)\\)$', then)
        + modules.re.findall('^varchar\\((\\d+)\\)$', now)
    ) -%}
    {{ return(
        longest | length == 1 and now == 'string'
        or longest | length == 2 and longest[0] | int < longest[1] | int
    ) }}
{%- endmacro %}
