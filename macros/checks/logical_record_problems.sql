{#- What is wrong with the logical records of a publication; a list of texts. Records that are resolved as a whole are not
    supported yet; with both options off every row is decided by itself, and nothing is missing.
    Rules: detection without resolution is an error; an article of a logical record has the default resolver. -#}
{% macro logical_record_problems(publication, settings) -%}
    {%- set problems = [] -%}
    {%- set records = settings.get('logical_records') -%}
    {%- set articles = settings.articles if settings.get('articles') is mapping else {} -%}
    {%- for record in (records if replication_conflicts.is_list(records) else []) if record is mapping -%}
        {%- if record.get('detection') and not record.get('resolution') -%}
            {%- do problems.extend(replication_conflicts.problem_texts(publication, none, [[
                'logical_records', "the record of '" ~ record.get('top') ~ "' has detection: true without resolution: true"
            ]])) -%}
        {%- endif -%}
        {%- if record.get('resolution') -%}
            {%- do problems.extend(replication_conflicts.problem_texts(publication, none, [[
                'logical_records', "the record of '" ~ record.get('top') ~ "' has resolution: true, which is not supported yet: "
                ~ 'every row is decided by itself. Remove it'
            ]])) -%}
        {%- endif -%}
        {%- for article in [record.get('top')] + record.get('members', {}).keys() | list -%}
            {%- set options = articles.get(article) -%}
            {%- set resolver = options.get('resolver') if options is mapping else none -%}
            {%- if record.get('resolution') and resolver and resolver.name != 'priority' -%}
                {%- do problems.extend(replication_conflicts.problem_texts(publication, article, [[
                    'resolver', "is '" ~ resolver.name ~ "', must be 'priority': the article belongs to the logical record of '"
                    ~ record.get('top') ~ "'"
                ]])) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}
