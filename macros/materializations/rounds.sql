{#- A model that is run again and again on its own result until it changes nothing any more.

    The model begins with a query of what a round assumes, read from the round before through
    previous_round(), and ends it with end_of_assumptions(). The round itself follows: it reads
    previous_round() too. In the first round that is the relation itself, later the query of what it
    assumes. The round before is restricted by `again`. Rows with different values of
    `independent_by` have nothing to do with each other: those of a value that is settled are not
    looked at again, however long another takes.
    Each round is written to a table of its own; the finished relation is a view of the rows
    as the last round that looked at them left them. What the rounds are about is the
    model's business alone.

    A round may have several stages: end_of_stage('name') ends a statement whose result the
    following ones read as stage('name'). What is read more than once is then computed once, and the
    plans stay small.

    config:
      first_round     name of the scratch model that the first round reads
      taking          condition on its rows: where none of this run meets it, nothing is done
      independent_by  column, never NULL: rows with different values of it do not depend on each
                      other
      again           condition on a row of a round: whether the next round looks at it again. It
                      may read the round itself under the name previous_round; what a round has
                      settled then stays behind, round by round
      unsettled       condition on a row of a round: whether its result differs from what the round
                      assumed of it
      round_limit     query that gives the highest number of rounds that can be needed; more of them
                      are an error -#}
{% materialization rounds, adapter='spark' -%}
    {%- set target = this.incorporate(type='view') -%}
    {%- set first_relation = replication_conflicts.previous_round(
        ref(config.require('first_round'))
    ) -%}
    {%- set independent_by = config.require('independent_by') -%}
    {%- set again = '(' ~ config.require('again') ~ ')' -%}
    {%- set settles_in_parts = 'previous_round' in again -%}
    {%- set settled_later = replication_conflicts.stage('settled') -%}
    {%- set existing = load_cached_relation(this) -%}

    {{ run_hooks(pre_hooks) }}

    {%- if existing is not none and not replication_conflicts.scratch_has_rows(
        ref(config.require('first_round')), config.get('taking', 'true')
    ) -%}
        {#- nothing to decide: what an earlier run left is not of this run -#}
        {%- call noop_statement('main', 'no rows') -%}{%- endcall -%}
        {{ return({'relations': [target]}) }}
    {%- endif -%}

    {#- the view reads tables that are now written anew: after a run that dies here there is none,
        and the next run makes it -#}
    {%- if existing is not none -%}
        {%- do adapter.drop_relation(existing) -%}
    {%- endif -%}
    {%- set assumptions, round = sql.split(replication_conflicts.end_of_assumptions()) -%}
    {%- set table = replication_conflicts._round_table(1) -%}
    {%- do replication_conflicts._drop_other_rounds(table) -%}
    {%- do replication_conflicts._write_round(table, round) -%}
    {%- set unsettled = replication_conflicts._unsettled_parts(table) -%}
    {%- set state = namespace(
        number=1, table=table, unsettled=unsettled, has_settled_later=false
    ) -%}
    {%- set state.open = replication_conflicts._open_rows(
        table, again, independent_by, unsettled
    ) -%}
    {%- set settled_rows = ['select * from ' ~ table ~ ' where not (' ~ state.open ~ ')'] -%}
    {#- whether the finished relation reads the table of the last round -#}
    {%- set state.is_read = true -%}
    {%- if state.unsettled -%}
        {%- set limit = run_query(
            config.require('round_limit') | replace('previous_round', table | string)
        )
            .columns[0].values()[0] -%}
        {#- Jinja makes no longer ranges; so many rounds would take days -#}
        {%- for _ in range([limit, 100000] | min) if state.unsettled -%}
            {%- set state.number = state.number + 1 -%}
            {%- set table = replication_conflicts._round_table(state.number) -%}
            {%- set previous = '(select * from ' ~ state.table ~ ' where ' ~ state.open ~ ')' -%}
            {%- set assumed = '(' ~ (assumptions | replace(first_relation, previous)) ~ ')' -%}
            {%- do replication_conflicts._write_round(
                table, round | replace(first_relation, assumed), state.unsettled
            ) -%}
            {%- set unsettled = replication_conflicts._unsettled_parts(table) -%}
            {%- if not state.is_read -%}
                {%- do adapter.drop_relation(state.table) -%}
            {%- endif -%}
            {%- set state.open = replication_conflicts._open_rows(
                table, again, independent_by, unsettled
            ) -%}
            {%- set settled = 'select * from ' ~ table ~ ' where not (' ~ state.open ~ ')' -%}
            {%- set state.is_read = false -%}
            {%- if settles_in_parts and unsettled -%}
                {%- do replication_conflicts._keep_settled(
                    settled_later, settled, state.has_settled_later
                ) -%}
                {%- set state.has_settled_later = true -%}
            {%- elif unsettled | length < state.unsettled | length -%}
                {%- do settled_rows.append(settled) -%}
                {%- set state.is_read = true -%}
            {%- endif -%}
            {%- set state.table = table -%}
            {%- set state.unsettled = unsettled -%}
        {%- endfor -%}
        {%- if state.unsettled -%}
            {{ exceptions.raise_compiler_error(
                model.name ~ ": not settled after " ~ state.number
                ~ " rounds, more than can be needed (" ~ independent_by ~ ' '
                ~ state.unsettled | join(', ')
                ~ "). This is an error of the rules, not of the data: please "
                ~ "report it with the tables " ~ replication_conflicts._round_table(1) ~ " and "
                ~ state.table ~ "."
            ) }}
        {%- endif -%}
    {%- endif -%}

    {%- if state.has_settled_later -%}
        {%- do settled_rows.append('select * from ' ~ settled_later) -%}
    {%- endif -%}

    {%- call statement('main') -%}
        create or replace view {{ target }} as
        {{ settled_rows | join('\n        union all\n        ') }}
    {%- endcall -%}
    {{ log(model.name ~ ': settled after ' ~ state.number ~ ' round(s)', info=false) }}

    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target]}) }}
{%- endmaterialization %}


{% macro _round_table(number) -%}
    {{ return(api.Relation.create(
        database=this.database,
        schema=this.schema,
        identifier=this.identifier ~ '__round_' ~ number,
        type='table'
    )) }}
{%- endmacro %}


{#- Drops the rounds that earlier runs have left behind, but for the table of the first one, which
    is written anew at once. -#}
{% macro _drop_other_rounds(first) -%}
    {%- set left = run_query(
        'show tables in ' ~ this.schema ~ " like '" ~ this.identifier ~ "__round_*'"
    ) -%}
    {%- for row in left.rows if row['tableName'] != first.identifier -%}
        {%- do adapter.drop_relation(first.incorporate(path={'identifier': row['tableName']})) -%}
    {%- endfor -%}
{%- endmacro %}


{#- Writes one round, its stages first. `parts`: the values of `independent_by` that the round looks
    at; all without it. -#}
{% macro _write_round(table, query, parts=none) -%}
    {%- set pieces = modules.re.split(';  -- end of stage: (\\w+)(?: of ([\\w, ]+))?\n', query) -%}
    {%- for number in range(0, pieces | length - 1, 3) -%}
        {%- set stage = replication_conflicts.stage(pieces[number + 1]) -%}
        {%- set concerned = (pieces[number + 2] or '').split(', ') -%}
        {%- if parts is none or concerned == [''] or concerned | select('in', parts) | list -%}
            {%- do replication_conflicts._write_stage(stage, pieces[number]) -%}
        {%- else -%}
            {%- call statement('empty_stage') -%}truncate table {{ stage }}{%- endcall -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do replication_conflicts._write_stage(table, pieces[-1]) -%}
{%- endmacro %}


{% macro _write_stage(table, query) -%}
    {%- call statement('drop_stage') -%}
        drop table if exists {{ table }}
    {%- endcall -%}
    {%- call statement('write_stage') -%}
        create table {{ table }} {{ replication_conflicts.scratch_format() }} as
        {{ query }}
    {%- endcall -%}
{%- endmacro %}


{#- The values of `independent_by` with a row that is not settled by a round. -#}
{% macro _unsettled_parts(table) -%}
    {{ return(run_query(
        'select distinct ' ~ config.require('independent_by') ~ ' from ' ~ table ~ ' where '
        ~ config.require('unsettled')
    ).columns[0].values() | list) }}
{%- endmacro %}


{#- Which rows of a round the next one looks at, as a condition. `again` may read the round
    itself as previous_round. -#}
{% macro _open_rows(table, again, independent_by, unsettled) -%}
    {%- if not unsettled -%}
        {{ return('false') }}
    {%- endif -%}
    {{ return(
        again | replace('previous_round', table | string) ~ ' and '
        ~ replication_conflicts.is_one_of(independent_by, unsettled)
    ) }}
{%- endmacro %}


{#- Keeps what a round has settled, where the next one looks at a part of it alone. -#}
{% macro _keep_settled(table, query, is_there) -%}
    {%- if not is_there -%}
        {%- do replication_conflicts._write_stage(table, query) -%}
    {%- else -%}
        {%- call statement('keep_settled') -%}insert into {{ table }} {{ query }}{%- endcall -%}
    {%- endif -%}
{%- endmacro %}
