{#- Checks that the session writes values as canonical text needs them, before a run writes anything: times in UTC, decimals without
    an exponent, as Spark does while spark.sql.ansi.enabled is true. With another session the same row would be another text. -#}
{% macro check_session() -%}
    {%- set row = run_query("select current_timezone(), cast(cast(0 as decimal(8, 7)) as string) = '0.0000000'").rows[0] -%}
    {%- set problems = [] -%}
    {%- if row[0] not in ('UTC', 'Etc/UTC', 'GMT', 'Etc/GMT', 'Z', '+00:00') -%}
        {%- do problems.append("spark.sql.session.timeZone is '" ~ row[0] ~ "': it must be UTC") -%}
    {%- endif -%}
    {%- if not row[1] -%}
        {%- do problems.append('spark.sql.ansi.enabled is false: it must be true') -%}
    {%- endif -%}
    {%- if problems -%}
        {{ exceptions.raise_compiler_error(
            'the Spark session has other settings than the pipeline needs. Correct them under server_side_parameters of the '
            ~ 'target, or at the server.\n  ' ~ problems | join('\n  ')
        ) }}
    {%- endif -%}
{%- endmacro %}
