{#- What the resolver of its article says about a change in conflict, as a resolution; NULL where the default resolver decides.
    Calls the macro resolver_<name> of each article that names one: of this package, or of the project that installs it.
    Over the columns of change_decisions. -#}
{% macro resolution_of_conflict() -%}
{%- set resolved = [] -%}
{%- for item in replication_conflicts.article_list() -%}
    {%- set resolver = item.options.get('resolver') or {} -%}
    {%- if resolver.get('name', 'priority') != 'priority' -%}
        {%- do resolved.append({'item': item, 'resolver': resolver}) -%}
    {%- endif -%}
{%- endfor -%}
{%- if not resolved -%}
cast(null as {{ replication_conflicts.resolution_type() }})
{%- else -%}
case
        {%- for one in resolved %}
        when publication = '{{ one.item.publication }}' and article = '{{ one.item.article }}'
            then {{ replication_conflicts.resolver_macro(one.resolver.name)(
                replication_conflicts.resolver_arguments(one.item, one.resolver)
            ) | indent(8) }}
        {%- endfor %}
    end
{%- endif -%}
{%- endmacro %}
