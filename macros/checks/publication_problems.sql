{#- What is wrong with a publication, its articles aside; a list of texts. -#}
{% macro publication_problems(publication, settings) -%}
    {%- if settings is not mapping -%}
        {{ return(replication_conflicts.problem_texts(publication, none, [
            [none, 'must be a mapping of options, among them: replication, publisher, articles']
        ])) }}
    {%- endif -%}
    {%- set found = replication_conflicts.option_problems(
        'publication', settings, settings.get('replication')
    ) -%}
    {%- do found.extend(replication_conflicts.name_problems(publication)) -%}
    {%- if
        settings.get('publisher') is string and modules.re.search("['\\\\]", settings.publisher)
    -%}
        {%- do found.append([
            'publisher', 'is "' ~ settings.publisher ~ '", must not contain quotes or backslashes'
        ]) -%}
    {%- endif -%}
    {%- if
        settings.get('publisher') is string
        and settings.publisher | trim
        and settings.publisher != settings.publisher | trim
    -%}
        {%- do found.append([
            'publisher', "is '" ~ settings.publisher ~ "', must not have blanks around it"
        ]) -%}
    {%- endif -%}
    {%- set problems = replication_conflicts.problem_texts(publication, none, found) -%}
    {%- do problems.extend(replication_conflicts.logical_record_problems(publication, settings)) -%}
    {{ return(problems) }}
{%- endmacro %}
