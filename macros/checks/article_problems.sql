{#- What is wrong with one article of a publication; a list of texts. -#}
{% macro article_problems(publication, article, settings) -%}
    {%- set options = settings.articles[article] -%}
    {%- if options is not mapping -%}
        {{ return(replication_conflicts.problem_texts(publication, article, [
            [none, 'must be a mapping of options, among them: columns, primary_key']
        ])) }}
    {%- endif -%}
    {%- set columns = options['columns'] if options.get('columns') is mapping else {} -%}
    {%- set found = replication_conflicts.option_problems(
        'article', options, settings.get('replication')
    ) -%}
    {%- do found.extend(replication_conflicts.name_problems(article)) -%}
    {%- do found.extend(
        replication_conflicts.column_problems(columns, settings.get('replication') == 'merge')
    ) -%}
    {%- do found.extend(replication_conflicts.key_problems(options, columns)) -%}
    {%- do found.extend(
        replication_conflicts.foreign_key_problems(options, columns, settings.articles)
    ) -%}
    {%- do found.extend(replication_conflicts.resolver_problems(options, columns)) -%}
    {#- a database knows no upper case in the names of columns -#}
    {%- set names = columns.keys() | map('string') | map('lower') | list -%}
    {%- if options.get('version_column') is string and options.version_column | lower in names -%}
        {%- do found.append([
            'version_column',
            "is '" ~ options.version_column ~ "', a column of the article; name another"
        ]) -%}
    {%- endif -%}
    {{ return(replication_conflicts.problem_texts(publication, article, found)) }}
{%- endmacro %}
