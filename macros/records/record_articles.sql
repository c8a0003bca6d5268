{#- The articles of the logical records of a publication, or of all, parents before children: a list of {publication, article,
    options, record (an id), depth (0 for the top article), parent, columns (those that name the parent), parent_options, detection,
    resolution}. Empty without logical records. -#}
{% macro record_articles(publication=none) -%}
    {%- set found = [] -%}
    {%- for name, settings in replication_conflicts.publications().items() if publication in [none, name] and settings is mapping -%}
        {%- for record in settings.get('logical_records') or [] if record is mapping and settings.get('articles') is mapping -%}
            {%- set members = record.get('members') if record.get('members') is mapping else {} -%}
            {%- set depths = {record.get('top'): 0} -%}
            {%- for _ in members -%}
                {%- for article, member in members.items() if article not in depths and member is mapping and member.get('parent') in depths -%}
                    {%- do depths.update({article: depths[member.parent] + 1}) -%}
                {%- endfor -%}
            {%- endfor -%}
            {#- what is wrong with a record is said by logical_record_problems -#}
            {%- for article, depth in depths.items() if settings.articles.get(article) is mapping -%}
                {%- set member = members.get(article, {}) -%}
                {%- do found.append({
                    'publication': name,
                    'article': article,
                    'settings': settings,
                    'options': settings.articles[article],
                    'record': record.top,
                    'depth': depth,
                    'parent': member.get('parent'),
                    'columns': member.get('columns'),
                    'parent_options': settings.articles.get(member.get('parent')),
                    'detection': record.get('detection', false),
                    'resolution': record.get('resolution', false)
                }) -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}


{#- Whether a publication has logical records; without a name, whether any has. -#}
{% macro has_records(publication=none) -%}
    {{ return(replication_conflicts.record_articles(publication) | length > 0) }}
{%- endmacro %}


{#- How many parents the lowest article of any logical record has above it. -#}
{% macro record_depth() -%}
    {{ return(([0] + replication_conflicts.record_articles() | map(attribute='depth') | list) | max) }}
{%- endmacro %}


{#- One row per article of a logical record, as a query. -#}
{% macro record_article_rows() -%}
{%- for one in replication_conflicts.record_articles() %}
    select
        '{{ one.publication }}' as publication,
        '{{ one.article }}' as article,
        '{{ one.record }}' as record,
        {{ one.depth }} as depth,
        {{ "'" ~ one.parent ~ "'" if one.parent else 'cast(null as string)' }} as parent,
        {{ one.detection | lower }} as is_detected_whole,
        {{ one.resolution | lower }} as is_resolved_whole,
        {{ (one.options.get('tracking', 'row') == 'column') | lower }} as is_column_tracked,
        {{ one.options.get('compensate_for_errors', false) | lower }} as is_compensated,
        array('{{ replication_conflicts.tracked_columns(one.options) | join("', '") }}') as record_columns,
        {% if one.options.get('row_filter') -%}
        array('{{ one.options.row_filter | join("', '") }}') as filtered_subscribers
        {%- else -%}
        cast(null as array<string>) as filtered_subscribers
        {%- endif %}
    {%- if not loop.last %}
    union all
    {%- endif %}
{%- endfor %}
{%- endmacro %}


{#- The key of the row above a row in its logical record, as row_key; NULL at the top, and where a column is NULL. Over the columns
    publication and article; `row` is a map<string,string>. -#}
{% macro record_parent_key(row) -%}
{%- set members = replication_conflicts.record_articles() | selectattr('parent') | list -%}
{%- if not members -%}
cast(null as string)
{%- else -%}
case
        {%- for one in members %}
        {%- set texts = [] %}
        {%- set types = [] %}
        {%- for column in one.columns %}
            {%- set data_type = one.parent_options.columns[one.parent_options.primary_key[loop.index0]] %}
            {%- do texts.append(replication_conflicts.canonical_text(
                replication_conflicts.typed_value(row ~ "['" ~ column ~ "']", data_type), data_type
            )) %}
            {%- do types.append(data_type) %}
        {%- endfor %}
        when publication = '{{ one.publication }}' and article = '{{ one.article }}'
            then {{ replication_conflicts.key_of_texts(texts, types) }}
        {%- endfor %}
    end
{%- endif -%}
{%- endmacro %}
