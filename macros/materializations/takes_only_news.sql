{#- Whether a ledger model is to give only what its table does not have yet; false while dbt parses.
    Otherwise it gives everything: there is no table yet, or a full refresh was asked for. -#}
{% macro takes_only_news() -%}
    {%- if not execute -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set existing = load_cached_relation(this) -%}
    {{ return(existing is not none and not existing.is_view and not should_full_refresh()) }}
{%- endmacro %}
