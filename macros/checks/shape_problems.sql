{#- Articles that lost a column, have another type of one or another primary key, or begin
    with initial rows now, and publications whose publisher or kind of replication is
    another, since their rows were decided; a list of texts. A full refresh decides
    everything anew, with what there is now. More columns are none, nor is a wider type, nor
    another order of them: alter_article_tables.

    publication, article: of this one alone; none: of all -#}
{% macro shape_problems(publication=none, article=none) -%}
    {%- set problems = [] -%}
    {%- set only = [publication, article] -%}
    {%- for item in replication_conflicts.article_list()
        if only in [[none, none], [item.publication, item.article]]
    -%}
        {%- if not replication_conflicts.is_decided_anew() -%}
            {%- set shape = replication_conflicts.article_shape(item.settings, item.options) -%}
            {%- set changes = [] -%}
            {%- for subject, before in replication_conflicts.recorded_shape(item).items()
                if shape.get(subject) != before
            -%}
                {%- if
                    not replication_conflicts._is_wider_column(subject, before, shape.get(subject))
                -%}
                    {%- do changes.append(
                        replication_conflicts._shape_change(subject, before, shape.get(subject))
                    ) -%}
                {%- endif -%}
            {%- endfor -%}
            {%- if changes -%}
                {%- do problems.append(
                    "publication '" ~ item.publication ~ "', article '" ~ item.article ~ "': "
                    ~ changes | join('; ')
                    ~ '. Its rows were decided as it was. Set it back under vars: publications: in '
                    ~ 'dbt_project.yml; or, where the feeds'
                    ~ ' still have all changes, decide everything anew: dbt build --full-refresh.'
                ) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}


{#- Whether what has changed is the type of a column, and it holds more values than before. -#}
{% macro _is_wider_column(subject, before, now) -%}
    {{ return(
        subject.startswith('column.')
        and now is not none
        and replication_conflicts.is_wider(now, before)
    ) }}
{%- endmacro %}


{#- What has changed, in words; now: none where a column is gone. -#}
{% macro _shape_change(subject, before, now) -%}
    {%- if subject == 'primary_key' -%}
        {{ return(
            'its primary key was (' ~ before.split('|') | join(', ') ~ '), is ('
            ~ now.split('|') | join(', ') ~ ')'
        ) }}
    {%- elif subject == 'publisher' -%}
        {{ return("the publisher was '" ~ before ~ "', is '" ~ now ~ "'") }}
    {%- elif subject == 'replication' -%}
        {{ return('replication was ' ~ before ~ ', is ' ~ now) }}
    {%- elif subject == 'initial_snapshot' -%}
        {{ return(
            'initial_snapshot was ' ~ before ~ ', is ' ~ now
            ~ ': initial rows are read by the first run alone'
        ) }}
    {%- endif -%}
    {%- set column = subject.split('.', 1)[1] -%}
    {%- if now is none -%}
        {{ return("it had the column '" ~ column ~ "' (" ~ before ~ '), and has it no longer') }}
    {%- endif -%}
    {{ return("the column '" ~ column ~ "' was " ~ before ~ ', is ' ~ now) }}
{%- endmacro %}
