{#- What the resolver of its article says about a change in conflict, as a resolution; NULL where
    the default resolver decides. Calls the macro resolver_<name> of each article that names one: of
    this package, or of the project that installs it. Over the columns of merge_decisions. -#}
{% macro resolution_of_conflict() -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.articles_with_resolver() -%}
    {%- set resolver = item.options.resolver -%}
    {%- do branches.append({
        'item': item,
        'value': replication_conflicts.named_resolver(resolver.name)(
            replication_conflicts.resolver_arguments(item, resolver)
        )
    }) -%}
{%- endfor -%}
{{ replication_conflicts.by_article(
    branches, 'cast(null as ' ~ replication_conflicts.resolution_type() ~ ')'
) }}
{%- endmacro %}
