{#- Articles whose columns or primary key, and publications whose publisher or kind of replication, are others than those that their rows
    were decided with; a list of texts. A full refresh decides everything anew, with those that there are now.

    publication, article: of this one alone; none: of all -#}
{% macro shape_problems(publication=none, article=none) -%}
    {%- set problems = [] -%}
    {%- set only = [publication, article] -%}
    {%- for item in replication_conflicts.article_list() if only in [[none, none], [item.publication, item.article]] -%}
        {%- set held = source('held', item.publication ~ '__' ~ item.article ~ '__versions') -%}
        {#- made behind the log, so that a run that was stopped has left it as it was -#}
        {%- set published = adapter.get_relation(held.database, held.schema, item.publication ~ '__' ~ item.article) -%}
        {%- if execute and published is not none and not flags.FULL_REFRESH -%}
            {%- set changes = [] -%}
            {%- for property, now in replication_conflicts.article_shape(item.settings, item.options).items() -%}
                {#- dbt has read the properties with the list of relations -#}
                {%- set found = modules.re.search(modules.re.escape(property) ~ '=([^,\\]]*)', published.information or '') -%}
                {%- if found and found.group(1) != now -%}
                    {%- do changes.append(replication_conflicts._shape_change(property, found.group(1), now)) -%}
                {%- endif -%}
            {%- endfor -%}
            {%- if changes -%}
                {%- do problems.append(
                    "publication '" ~ item.publication ~ "', article '" ~ item.article ~ "': " ~ changes | join('; ')
                    ~ '. Its rows were decided as it was. Set it back under vars: publications: in dbt_project.yml; or, where the feeds'
                    ~ ' still have all changes, decide everything anew: dbt build --full-refresh.'
                ) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}


{#- What has changed, in words. -#}
{% macro _shape_change(property, before, now) -%}
    {%- set old = before.split('|') -%}
    {%- set new = now.split('|') -%}
    {%- if property == 'replication_conflicts.primary_key' -%}
        {{ return('its primary key was (' ~ old | join(', ') ~ '), is (' ~ new | join(', ') ~ ')') }}
    {%- elif property == 'replication_conflicts.publisher' -%}
        {{ return("the publisher was '" ~ before ~ "', is '" ~ now ~ "'") }}
    {%- elif property == 'replication_conflicts.replication' -%}
        {{ return('replication was ' ~ before ~ ', is ' ~ now) }}
    {%- endif -%}
    {%- if ' ' not in before or ' ' not in now -%}
        {#- of many columns there is a hash alone -#}
        {{ return('its columns, their types or their order are not as they were') }}
    {%- endif -%}
    {%- set gone = old | reject('in', new) | join(', ') -%}
    {%- set come = new | reject('in', old) | join(', ') -%}
    {%- set parts = [] -%}
    {%- if gone -%}
        {%- do parts.append('its columns no longer have ' ~ gone | replace(';', ',')) -%}
    {%- endif -%}
    {%- if come -%}
        {%- do parts.append('its columns now have ' ~ come | replace(';', ',')) -%}
    {%- endif -%}
    {{ return(parts | join('; ') if parts else 'its columns stand in another order') }}
{%- endmacro %}
