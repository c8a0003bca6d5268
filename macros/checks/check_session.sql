{#- Checks, before a run writes anything, that the session writes times in UTC, as canonical text
    has them. With another one the same row would be another text. -#}
{% macro check_session() -%}
    {%- set time_zone = run_query('select current_timezone()').rows[0][0] -%}
    {%- if time_zone not in ('UTC', 'Etc/UTC', 'GMT', 'Etc/GMT', 'Z', '+00:00') -%}
        {{ exceptions.raise_compiler_error(
            "spark.sql.session.timeZone is '" ~ time_zone
            ~ "': it must be UTC. Correct it under server_side_parameters of the "
            ~ 'target, or at the server.'
        ) }}
    {%- endif -%}
{%- endmacro %}
