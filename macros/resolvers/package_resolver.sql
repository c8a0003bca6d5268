{#- The macro of a resolver of this package; none where it has none by that name. -#}
{% macro package_resolver(name) -%}
    {{ return(context['replication_conflicts'].get('resolver_' ~ name)) }}
{%- endmacro %}
