{#- A full refresh decides everything anew from the feeds, and a what-if does so elsewhere.
    Feeds may be emptied of what is decided: what is not there any more would be forgotten,
    with all that it has written, and others would meet other rows. One error for all
    publications, before anything is written; --vars '{forget_removed_changes: true}' lets a
    full refresh forget them. -#}
{% macro check_feeds_are_whole() -%}
    {%- set log = replication_conflicts.held_relation('change_outcomes') -%}
    {%- set asked = var('what_if', {}).get('publication') -%}
    {%- set may_forget = (
        log is none
        or not replication_conflicts.is_decided_anew()
        or var('forget_removed_changes', false) | string | lower == 'true'
    ) -%}
    {%- set feeds, names = [], [] -%}
    {%- for item in replication_conflicts.article_list()
        if not may_forget and asked in [none, item.publication]
    -%}
        {%- set staged = ref('stg_' ~ item.publication ~ '__' ~ item.article) -%}
        {%- if execute and load_relation(staged) is not none -%}
            {%- do feeds.append('select publication, change_id from ' ~ staged) -%}
            {%- do names.append("('" ~ item.publication ~ "', '" ~ item.article ~ "')") -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set problems = [] -%}
    {%- if feeds -%}
        {%- set query -%}
            select
                decided.publication,
                count(*) as decided,
                count_if(fed.change_id is null) as removed,
                min(if(fed.change_id is null, decided.change_id, null)) as example
            from {{ log }} as decided
            left join (select distinct * from ({{ feeds | join(' union all ') }})) as fed
                on decided.publication = fed.publication and decided.change_id = fed.change_id
            where
                (decided.publication, decided.article) in ({{ names | join(', ') }})
                {#- neither a row that the run itself has written, nor what people and refused
                    commands have asked for #}
                and decided.content_hash is not null
                and not {{ replication_conflicts.is_intervention('decided.rule') }}
            group by decided.publication
            having removed > 0
        {%- endset -%}
        {%- for row in run_query(query).rows -%}
            {%- do problems.extend(replication_conflicts.problem_texts(row['publication'], none, [[
                none,
                row['removed'] ~ ' of ' ~ row['decided']
                ~ " changes that have been decided are not in the feeds any more, '"
                ~ row['example'] ~ "' among them. "
                ~ (
                    'Without them others would be judged by rows that were never held: a what-if '
                    ~ 'needs them all.'
                    if asked
                    else 'A full refresh would forget them, and what they have written. Bring them '
                    ~ 'back into the feeds, or build without --full-refresh. If they are to be '
                    ~ "forgotten, say so: --vars '{forget_removed_changes: true}'."
                )
            ]])) -%}
        {%- endfor -%}
    {%- endif -%}
    {%- if problems -%}
        {{ exceptions.raise_compiler_error(problems | join('\n  ')) }}
    {%- endif -%}
{%- endmacro %}
