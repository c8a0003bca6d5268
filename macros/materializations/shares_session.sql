{#- Whether the connections of a run share one Spark session, and with it temporary views: not so on
    a Thrift server. -#}
{% macro shares_session() -%}
    {{ return(adapter.config.credentials.method == 'session') }}
{%- endmacro %}
