{#- The name of the resolver that a change's article names, over the columns publication and article; NULL where it is the default
    one. -#}
{% macro resolver_of_article() -%}
{%- set named = [] -%}
{%- for item in replication_conflicts.article_list() if (item.options.get('resolver') or {}).get('name', 'priority') != 'priority' -%}
    {%- do named.append(
        "when publication = '" ~ item.publication ~ "' and article = '" ~ item.article ~ "' then '" ~ item.options.resolver.name ~ "'"
    ) -%}
{%- endfor -%}
    {{ return('case ' ~ named | join(' ') ~ ' end' if named else 'cast(null as string)') }}
{%- endmacro %}
