{#- A Delta table that takes what is new and is not touched when nothing is: no empty
    commit, no rewriting.

    config:
      news        {model, where, by}: rows of that upstream model mean news. by: 'run_sequence'
                  counts only rows newer than the table, 'run_id' only rows of this run. Without it
                  the model's query is run, and may give nothing. `model` may be a list of models
      optional    the table is not made before there is something to put in: what most projects
                  never need costs nothing
      obsolete    {model, by, where}: rows that are named in column `by` of such rows of that
                  relation are removed
      unique_key  rows with this key are replaced (one MERGE); without it rows are appended
      commit_once the decision log alone: rows are appended by a MERGE that reads the run's own
                  partition and what is newer, so that of two runs at the same time the second
                  fails and no change is decided twice -#}
{% materialization ledger, adapter='spark', supported_languages=['sql', 'python'] -%}
    {%- set target = this.incorporate(type='table') -%}
    {%- set existing = load_cached_relation(this) -%}
    {%- set unique_key = config.get('unique_key') -%}
    {%- set news = config.get('news', {}) -%}
    {%- set language = model['language'] -%}

    {{ run_hooks(pre_hooks) }}

    {%- if
        config.get('optional')
        and existing is none
        and not replication_conflicts.ledger_has_news(news, 0)
    -%}
        {%- call noop_statement('main', 'nothing to keep yet') -%}{%- endcall -%}
        {{ return({'relations': []}) }}
    {%- elif not replication_conflicts.takes_only_news() -%}
        {%- if existing is not none and existing.is_view -%}
            {%- do adapter.drop_relation(existing) -%}
        {%- endif -%}
        {%- call statement('main', language=language) -%}
            {%- if language == 'python' -%}
                {{ replication_conflicts._python_table(compiled_code, target) }}
            {%- else -%}
                {{ create_table_as(false, target, compiled_code) }}
            {%- endif -%}
        {%- endcall -%}
        {%- do persist_constraints(target, model) -%}
    {%- else -%}
        {%- set incoming = this.incorporate(path={'identifier': this.identifier ~ '__news'})
            .include(database=false, schema=false) -%}
        {%- set newest_run = replication_conflicts.newest_run(this) -%}
        {%- set found = replication_conflicts.news_of_table(
            news, newest_run, newest_run in compiled_code
        ) -%}
        {%- set has_news = found.has_news -%}
        {%- if has_news -%}
            {%- call statement('create_news', language=language) -%}
                {%- if language == 'python' -%}
                    {{ replication_conflicts._python_view(
                        compiled_code, incoming, found.last_run
                    ) }}
                {%- else -%}
                    {{ create_temporary_view(
                        incoming, compiled_code | replace(newest_run, found.last_run)
                    ) }}
                {%- endif -%}
            {%- endcall -%}
            {%- if config.get('contract').enforced -%}
                {#- compares the columns of the query with those of the contract, and fails
                    where they differ -#}
                {%- do get_assert_columns_equivalent('select * from ' ~ incoming) -%}
            {%- endif -%}
            {%- if not news.model -%}
                {#- asking takes less than a merge or an insert of nothing -#}
                {%- set has_news = (
                    run_query('select 1 from ' ~ incoming ~ ' limit 1').rows | length > 0
                ) -%}
            {%- endif -%}
        {%- endif -%}
        {%- if not has_news -%}
            {#- nothing is written: dbt wants a statement all the same -#}
            {%- call noop_statement('main', 'no news') -%}{%- endcall -%}
        {%- elif unique_key -%}
            {%- set keys = [unique_key] if unique_key is string else unique_key -%}
            {%- call statement('main') -%}
                merge into {{ target }} as recorded
                using {{ incoming }} as news
                on
                    {%- for key in keys %}
                    {{ 'and ' if not loop.first }}recorded.{{ key }} = news.{{ key }}
                    {%- endfor %}
                {#- a run that was held up must not bring back what a later one has replaced -#}
                {%- set is_newer = (
                    ' and news.run_sequence >= recorded.run_sequence'
                    if news.by == 'run_sequence'
                    else ''
                ) %}
                when matched{{ is_newer }} then update set *
                when not matched then insert *
            {%- endcall -%}
        {%- elif config.get('commit_once') -%}
            {%- set sequence = replication_conflicts.sequence_of_news(target, ref(news.model)) -%}
            {%- call statement('main') -%}
                merge into {{ target }} as recorded
                using (
                    select * from {{ incoming }}
                    where {{ replication_conflicts.is_next_run(target, sequence) }}
                ) as news
                on
                    recorded.run_sequence >= {{ sequence }}
                    and recorded.publication = news.publication
                    and recorded.change_id = news.change_id
                when not matched then insert *
            {%- endcall -%}
        {%- else -%}
            {%- call statement('main') -%}
                insert into {{ target }} by name
                select * from {{ incoming }}
            {%- endcall -%}
        {%- endif -%}
    {%- endif -%}

    {%- if config.get('obsolete') -%}
        {%- do replication_conflicts._remove_obsolete(target, config.get('obsolete')) -%}
    {%- endif -%}
    {%- do persist_docs(target, model) -%}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target]}) }}
{%- endmaterialization %}


{#- Removes the rows of a table that have become obsolete, as the config `obsolete` says. -#}
{% macro _remove_obsolete(target, obsolete) -%}
    {%- set relation = load_cached_relation(ref(obsolete.model)) -%}
    {%- if relation is not none -%}
        {%- set statement_text = replication_conflicts.removal(
            target, obsolete.by,
            'select ' ~ obsolete.by ~ ' from ' ~ target ~ ' where ' ~ obsolete.by ~ ' in (select '
            ~ obsolete.by ~ ' from ' ~ relation ~ ' where ' ~ obsolete.where ~ ')'
        ) -%}
        {%- if statement_text | trim -%}
            {%- call statement('remove_obsolete') -%}{{ statement_text }}{%- endcall -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}


{#- The Python that writes a model's whole result as a new table. -#}
{% macro _python_table(compiled_code, target) -%}
{{ compiled_code }}
dbt = dbtObj(spark.table)
dbt.is_incremental = False
dbt.last_run = 0
(
    model(dbt, spark)
    .write.format("delta")
    .mode("overwrite")
    .option("overwriteSchema", "true")
    .saveAsTable("{{ target }}")
)
{%- endmacro %}


{#- The Python that gives what is new in a model's result the name of a temporary view. `last_run`,
    the number of the last run that the table has taken, is known to the model, so that only the
    partitions of the log that are newer are read. -#}
{% macro _python_view(compiled_code, view, last_run) -%}
{{ compiled_code }}
dbt = dbtObj(spark.table)
dbt.is_incremental = True
dbt.last_run = {{ last_run }}
model(dbt, spark).createOrReplaceTempView("{{ view | replace('`', '') }}")
{%- endmacro %}
