{#- The macro of a resolver: resolver_<name> of the project that is built, else of this package;
    none where there is none. -#}
{% macro named_resolver(name) -%}
    {{ return(
        replication_conflicts.own_resolver(name) or replication_conflicts.package_resolver(name)
    ) }}
{%- endmacro %}
