{#- Where this run finds the rows that the publisher holds, per article: a mapping
    '<publication>.<article>' to
      base:     'versions' (the published table as the last run left it), 'initial' (the initial
                snapshot) or 'none'
      sequence: the last run whose decisions are in the base
      overlay:  whether the log knows versions that the base has not taken: only after a run that
                died
      log:      the last run in the log, none without one
    It reads the tables made from the log of which nobody has noted that they have taken the last
    run: held_state asks once a run. A full refresh starts from the initial snapshot and takes
    nothing from the log.
    Error: a table, of published rows or any other, that was made from an earlier log: a full
    refresh died before it came to it. What is in the log now would be there twice. -#}
{% macro held_state_now() -%}
    {%- set state = {} -%}
    {%- set log_relation = replication_conflicts.continued_log() -%}
    {%- set log = (
        {'first': none, 'last': none}
        if log_relation is none
        else replication_conflicts.log_state(log_relation)
    ) -%}
    {%- set finished = {} if log.last is none else replication_conflicts.finished_runs() -%}
    {%- set tables = [] -%}
    {%- set unfinished = [] -%}
    {%- set queries = [] -%}
    {%- for item in replication_conflicts.article_list() -%}
        {%- set name = item.publication ~ '.' ~ item.article -%}
        {%- set table = item.publication ~ '__' ~ item.article ~ '__versions' -%}
        {%- do tables.append(table) -%}
        {%- set versions = replication_conflicts.held_relation(table) -%}
        {#- one that somebody has dropped is not finished, whatever the note says: the log
            has its rows -#}
        {%- set is_finished = (
            versions is not none and log.last is not none and finished.get(table) == log.last
        ) -%}
        {%- if not is_finished -%}
            {%- do unfinished.append(table) -%}
        {%- endif -%}
        {%- if item.options.get('initial_snapshot') -%}
            {#- named also where it is not read, so that the lineage does not depend on what
                exists -#}
            {%- do source('initial', item.publication ~ '__' ~ item.article) -%}
        {%- endif -%}
        {%- do state.update({name: {
            'base': 'initial' if item.options.get('initial_snapshot') else 'none',
            'sequence': 0,
            'overlay': false,
            'log': log.last
        }}) -%}
        {%- if is_finished -%}
            {%- do state[name].update({'base': 'versions', 'sequence': log.last}) -%}
        {%- elif versions is not none and not flags.FULL_REFRESH -%}
            {%- do queries.append(
                "select '" ~ name
                ~ "' as name, 'versions' as side, max(run_sequence) as sequence from " ~ versions
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if log.last is not none and unfinished -%}
        {%- do queries.append(
            "select concat(publication, '.', article) as name, 'log' as side, "
            ~ "max(run_sequence) as sequence from " ~ log_relation
            ~ " where is_written group by publication, article"
        ) -%}
    {%- endif -%}
    {%- if log.last is not none -%}
        {%- for node in replication_conflicts.models_of_log()
            if node.name not in tables and finished.get(node.name) != log.last
        -%}
            {%- set relation = adapter.get_relation(node.database, node.schema, node.alias) -%}
            {%- if relation is not none -%}
                {%- do queries.append(
                    "select '" ~ node.name
                    ~ "' as name, 'other' as side, max(run_sequence) as sequence from " ~ relation
                ) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {%- if queries -%}
        {%- set rows = run_query(queries | join(' union all ')).rows -%}
        {%- for row in rows
            if row['side'] != 'log'
            and not replication_conflicts.is_made_from_log(row['sequence'], log)
        -%}
            {{ exceptions.raise_compiler_error(
                ('the published rows of ' if row['side'] == 'versions' else 'the rows of ')
                ~ row['name'] ~ ' (run ' ~ row['sequence']
                ~ ') are not made from the decision log as it is now (runs ' ~ log.first ~ ' to '
                ~ log.last
                ~ '): a full refresh was not finished. Run dbt build --full-refresh again.'
            ) }}
        {%- endfor -%}
        {%- for row in rows if row['side'] == 'versions' and state.get(row['name']) -%}
            {%- do state[row['name']].update({
                'base': 'versions', 'sequence': (row['sequence'] or 0) | int
            }) -%}
        {%- endfor -%}
        {%- for row in rows if row['side'] == 'log' and state.get(row['name']) -%}
            {%- set article = state[row['name']] -%}
            {%- do article.update({'overlay': row['sequence'] | int > article.sequence}) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(state) }}
{%- endmacro %}
