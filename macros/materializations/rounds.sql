{#- A model that is run again and again on its own result until it changes nothing any more.

    The model reads one relation through previous_round(): in the first round the relation named there, later the model's
    own result of the round before, restricted by `again`. Each round is written to a table of its own; the finished
    relation is a view of the first round's rows that no later round looked at and of the last round's. What the rounds are
    about is the model's business alone.

    A round may have several stages: end_of_stage('name') ends a statement whose result the following ones read as
    stage('name'). What is read more than once is then computed once, and the plans stay small.

    config:
      first_round   name of the scratch model that the first round reads
      taking        condition on its rows: where none of this run meets it, nothing is done
      again         condition on a row of a round: whether the next round looks at it again
      unsettled     condition on a row of a round: whether its result differs from what the round assumed of it
      round_limit   query that gives the highest number of rounds that can be needed; more of them are an error -#}
{% materialization rounds, adapter='spark' -%}
    {%- set target = this.incorporate(type='view') -%}
    {%- set first_relation = ref(config.require('first_round')) | string -%}
    {%- set again = config.require('again') -%}
    {%- set unsettled = config.require('unsettled') -%}
    {%- set existing = load_cached_relation(this) -%}

    {{ run_hooks(pre_hooks) }}

    {%- set state = namespace(number=1, is_settled=false) -%}
    {%- set first_table = replication_conflicts.round_table(1) -%}
    {%- if existing is not none and not replication_conflicts.scratch_has_rows(
        ref(config.require('first_round')), config.get('taking', 'true')
    ) -%}
        {#- nothing to decide: what an earlier run left is not of this run -#}
        {%- call noop_statement('main', 'no rows') -%}{%- endcall -%}
        {{ return({'relations': [target]}) }}
    {%- endif -%}
    {%- do replication_conflicts.write_round(first_table, sql) -%}
    {%- set state.last_table = first_table -%}
    {%- if replication_conflicts.round_has(first_table, unsettled) -%}
        {%- set limit = run_query(config.require('round_limit') | replace('previous_round', first_table | string))
            .columns[0].values()[0] -%}
        {#- Jinja makes no longer ranges; so many rounds would take days -#}
        {%- for _ in range([limit, 100000] | min) if not state.is_settled -%}
            {%- set state.number = state.number + 1 -%}
            {%- set table = replication_conflicts.round_table(state.number) -%}
            {%- set previous = '(select * from ' ~ state.last_table ~ ' where ' ~ again ~ ')' -%}
            {%- do replication_conflicts.write_round(table, sql | replace(first_relation, previous)) -%}
            {%- if state.number > 2 -%}
                {%- do adapter.drop_relation(state.last_table) -%}
            {%- endif -%}
            {%- set state.last_table = table -%}
            {%- set state.is_settled = not replication_conflicts.round_has(table, unsettled) -%}
        {%- endfor -%}
        {%- if not state.is_settled -%}
            {{ exceptions.raise_compiler_error(
                model.name ~ ": not settled after " ~ state.number ~ " rounds, more than there are transactions. "
                ~ "This is an error of the rules, not of the data: please report it with the tables "
                ~ first_table ~ " and " ~ state.last_table ~ "."
            ) }}
        {%- endif -%}
    {%- endif -%}

    {%- if existing is not none and not existing.is_view -%}
        {%- do adapter.drop_relation(existing) -%}
    {%- endif -%}
    {%- call statement('main') -%}
        create or replace view {{ target }} as
        select * from {{ first_table }}
        {%- if state.number > 1 %}
        where not ({{ again }})
        union all
        select * from {{ state.last_table }}
        {%- endif %}
    {%- endcall -%}
    {{ log(model.name ~ ': settled after ' ~ state.number ~ ' round(s)', info=false) }}

    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target]}) }}
{%- endmaterialization %}


{#- The relation that one round of a model reads: `relation` in the first round, the round before in the others. -#}
{% macro previous_round(relation) -%}
    {{ relation }}
{%- endmacro %}


{% macro round_table(number) -%}
    {{ return(api.Relation.create(
        database=this.database, schema=this.schema, identifier=this.identifier ~ '__round_' ~ number, type='table'
    )) }}
{%- endmacro %}


{#- Writes one round, its stages first. -#}
{% macro write_round(table, query) -%}
    {%- set parts = modules.re.split(';  -- end of stage: (\w+)\n', query) -%}
    {%- for number in range(0, parts | length - 1, 2) -%}
        {%- do replication_conflicts.write_stage(replication_conflicts.stage(parts[number + 1]), parts[number]) -%}
    {%- endfor -%}
    {%- do replication_conflicts.write_stage(table, parts[-1]) -%}
{%- endmacro %}


{% macro write_stage(table, query) -%}
    {%- call statement('drop_stage') -%}
        drop table if exists {{ table }}
    {%- endcall -%}
    {%- call statement('write_stage') -%}
        create table {{ table }} {{ replication_conflicts.scratch_format() }} as
        {{ query }}
    {%- endcall -%}
{%- endmacro %}


{#- Ends a statement of a round. -#}
{% macro end_of_stage(name) -%}
    {{ return(';  -- end of stage: ' ~ name ~ '\n') }}
{%- endmacro %}


{#- The table that a stage of the round has written. -#}
{% macro stage(name) -%}
    {{ return(api.Relation.create(
        database=this.database, schema=this.schema, identifier=this.identifier ~ '__' ~ name, type='table'
    )) }}
{%- endmacro %}


{% macro round_has(table, condition) -%}
    {{ return(run_query('select 1 from ' ~ table ~ ' where ' ~ condition ~ ' limit 1').rows | length > 0) }}
{%- endmacro %}
