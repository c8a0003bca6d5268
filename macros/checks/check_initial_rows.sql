{#- Checks the rows that articles start with, where this run reads them: the first one, or a full
    refresh. Nothing of them can be rejected like a change: two rows of one key would each meet
    every change of that key, and a row without a version looks like no row to an insert of its key.
    One query, one error that lists every problem, before anything is written. -#}
{% macro check_initial_rows() -%}
    {%- set queries = [] -%}
    {%- set problems = [] -%}
    {%- for item in replication_conflicts.article_list() if item.options.get('initial_snapshot') -%}
        {%- set name = item.publication ~ '__' ~ item.article -%}
        {%- set initial = source('initial', name) -%}
        {%- set is_read = (
            flags.FULL_REFRESH or replication_conflicts.held_relation(name ~ '__versions') is none
        ) -%}
        {%- set is_missing = execute and is_read and load_relation(initial) is none -%}
        {#- a linter compiles models before anything has been loaded -#}
        {%- if is_missing and flags.WHICH in ['build', 'run'] -%}
            {%- do problems.append(
                "publication '" ~ item.publication ~ "', article '" ~ item.article
                ~ "': its initial rows " ~ initial ~ ' do not exist. Load them, or take out '
                ~ 'initial_snapshot, if the article begins without rows.'
            ) -%}
        {%- elif execute and is_read and not is_missing -%}
            {%- set query -%}
                select
                    '{{ item.publication }}' as publication,
                    '{{ item.article }}' as article,
                    '{{ initial }}' as relation,
                    count_if(row_key is null) as without_key,
                    count(row_key) - count(distinct row_key) as repeated,
                    count_if(row_version is null) as without_version
                from (
                    select
                        {{ replication_conflicts.row_key(
                            item.options.primary_key, item.options.columns
                        ) }} as row_key,
                        row_version
                    from {{ initial }}
                )
            {%- endset -%}
            {%- do queries.append(query) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for row in (run_query(queries | join(' union all ')).rows if queries else []) -%}
        {%- set found = [] -%}
        {%- for number, what in [
            (row['without_key'], 'without a key'),
            (row['repeated'], 'whose key another row has'),
            (row['without_version'], 'without a row_version')
        ] if number -%}
            {%- do found.append(number ~ (' row ' if number == 1 else ' rows ') ~ what) -%}
        {%- endfor -%}
        {%- if found -%}
            {%- do problems.append(
                "publication '" ~ row['publication'] ~ "', article '" ~ row['article']
                ~ "': the initial rows in " ~ row['relation'] ~ ' have ' ~ found | join(', ')
                ~ '. Each needs a key of its own and a version: correct the table.'
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if problems -%}
        {{ exceptions.raise_compiler_error(problems | join('\n  ')) }}
    {%- endif -%}
{%- endmacro %}
