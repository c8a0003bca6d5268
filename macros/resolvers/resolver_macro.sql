{#- The macro of a resolver: resolver_<name> of the project that is built, else of this package; none where there is none. -#}
{% macro resolver_macro(name) -%}
    {{ return(
        replication_conflicts.own_resolver_macro(name) or context['replication_conflicts'].get('resolver_' ~ name)
    ) }}
{%- endmacro %}
