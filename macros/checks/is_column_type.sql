{#- Whether a text is a column type that articles may have, as Spark writes it: lower case,
    arguments in brackets. The keys of a map are strings: its canonical text is JSON, and from_json
    makes no other ones of that. -#}
{% macro is_column_type(data_type) -%}
    {%- if data_type is not string -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set simple = '(?:string|boolean|tinyint|smallint|int|bigint|float|double'
        ~ '|date|timestamp|timestamp_ntz|binary'
        ~ '|(?:var)?char\\([1-9]\\d*\\)|decimal\\(\\d+, ?\\d+\\))' -%}
    {%- set nested = 'array<' ~ simple ~ '>|map<string, ?' ~ simple ~ '>'
        ~ '|struct<\\w+ ?: ?' ~ simple ~ '(?:, ?\\w+ ?: ?' ~ simple ~ ')*>' -%}
    {%- for precision, scale in modules.re.findall('decimal\\((\\d+), ?(\\d+)\\)', data_type) -%}
        {%- if not 1 <= precision | int <= 38 or scale | int > precision | int -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {#- from the inside out: a nested type of simple types stands for a simple one -#}
    {%- set state = namespace(text=data_type) -%}
    {%- for _ in range(data_type.count('<')) -%}
        {%- set state.text = modules.re.sub(nested, 'string', state.text) -%}
    {%- endfor -%}
    {{ return(modules.re.fullmatch(simple, state.text) is not none) }}
{%- endmacro %}
