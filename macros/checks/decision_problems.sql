{#- What is wrong with the relation `conflict_decisions`; a list of texts. What an earlier run has
    taken is left alone.
    decisions: one {value: the decision, number of rows, conflict_id: a conflict with it,
    unreadable: a place that is no number} for each that there is.
    Before the first run of a warehouse no conflict is known: decisions then wait for the next
    run. -#}
{% macro decision_problems(decisions) -%}
    {%- set allowed = ['submit_winner', 'submit_loser', 'remove'] -%}
    {%- set problems = [] -%}
    {%- for row in decisions if row.value not in allowed -%}
        {%- do problems.append(
            replication_conflicts._decision_in_words(row.conflict_id)
            ~ (' and ' ~ (row.number - 1) ~ ' more' if row.number > 1) ~ ": the decision is '"
            ~ row.value ~ "', must be one of: " ~ allowed | join(', ') ~ '.'
        ) -%}
    {%- endfor -%}
    {%- for row in decisions if row.unreadable is not none -%}
        {%- do problems.append(
            replication_conflicts._decision_in_words(row.conflict_id) ~ ': it has the '
            ~ row.unreadable ~ '. Correct it, or leave it empty.'
        ) -%}
    {%- endfor -%}
    {%- if replication_conflicts.held_relation('change_outcomes') is not none -%}
        {%- for row in run_query(replication_conflicts._faulty_decisions()).rows -%}
            {%- do problems.append(
                replication_conflicts._decision_in_words(row['conflict_id']) ~ ': ' ~ row['problem']
            ) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(problems) }}
{%- endmacro %}


{#- Which row of the relation is meant. -#}
{% macro _decision_in_words(conflict_id) -%}
    {{ return(
        'conflict_decisions, '
        ~ (
            "conflict '" ~ conflict_id ~ "'"
            if conflict_id is not none
            else 'a row without conflict_id'
        )
    ) }}
{%- endmacro %}


{#- The decisions that cannot be taken, as a query: conflict_id, problem. -#}
{% macro _faulty_decisions() -%}
{%- set intervention_log = replication_conflicts.held_relation('intervention_log') -%}
with decisions as (
    select
        identified.*,
        conflicts.publication,
        conflicts.article
    from (
        {{ replication_conflicts.identified_decisions() | indent(8) }}
    ) as identified
    {%- if intervention_log %}
    left anti join {{ intervention_log }} as known
        on identified.intervention_id = known.intervention_id
    {%- endif %}
    left join (
        select publication, article, conflict_id from {{ source('held', 'change_outcomes') }}
        where conflict_id is not null
    ) as conflicts
        on identified.conflict_id = conflicts.conflict_id
),
broken_texts as (
    {{ replication_conflicts.broken_edits() | indent(4) }}
),
checked as (
    select
        conflict_id,
        case
            when publication is null
                then {{ replication_conflicts.sql_text(
                    'there is no such conflict. Correct the conflict_id (it is in conflicts_info), '
                    ~ 'or remove the decision.'
                ) }}
            when decision = 'remove' and size(edited) > 0
                then 'a record that is removed has no edited columns. Leave edited empty.'
            else {{ replication_conflicts.edit_problem() | indent(12) }}
        end as problem
    from decisions
)
select conflict_id, problem from broken_texts
union
select conflict_id, problem from checked
where problem is not null
{%- endmacro %}
