{#- What this run has to look at, asked in one small query. A dict:
      changes       how many changes of the feeds
      articles      the articles that they, and decisions of people and refused commands, are about,
                    in the form of article_list
      publications  the names of those articles' publications
    All articles and publications while dbt parses, and where nothing came in. Where a project has
    many publications, mostly few have anything new: rows of the others need not be read. -#}
{% macro incoming_facts() -%}
    {%- set incoming = ref('incoming_changes') -%}
    {%- set pending = ref('pending_interventions') -%}
    {%- set all_articles = replication_conflicts.article_list() -%}
    {%- set lengths = {} -%}
    {%- if execute and load_cached_relation(incoming) is not none -%}
        {%- set is_of_run = " where run_id = '" ~ invocation_id ~ "'" -%}
        {%- if all_articles | length == 1 -%}
            {%- set questions = [
                'select 0 as publication, 0 as article, count(*) as changes from '
                ~ incoming ~ is_of_run
            ] -%}
        {%- else -%}
            {%- set questions = [
                'select publication, article, count(*) as changes from ' ~ incoming ~ is_of_run
                ~ ' group by publication, article'
            ] -%}
            {%- if load_cached_relation(pending) is not none -%}
                {%- do questions.append(
                    'select publication, article, 0 from ' ~ pending ~ is_of_run
                ) -%}
            {%- endif -%}
        {%- endif -%}
        {%- for row in run_query(questions | join(' union all ')).rows -%}
            {%- set name = row['publication'] ~ '.' ~ row['article'] -%}
            {%- do lengths.update({name: lengths.get(name, 0) + row['changes']}) -%}
        {%- endfor -%}
    {%- endif -%}
    {%- set articles = [] -%}
    {%- for item in all_articles if (item.publication ~ '.' ~ item.article) in lengths -%}
        {%- do articles.append(item) -%}
    {%- endfor -%}
    {%- set articles = articles or all_articles -%}
    {{ return({
        'changes': lengths.values() | sum,
        'articles': articles,
        'publications': articles | map(attribute='publication') | unique | list
    }) }}
{%- endmacro %}
