{#- The articles of the logical records of a publication, or of all, parents before children: a list
    of {publication, article, settings (of the publication), options (of the article), record (an
    id), depth (0 for the top article), parent, columns (those that name the parent),
    parent_options, detection, resolution}. Empty without logical records. -#}
{% macro record_articles(publication=none) -%}
    {%- set found = [] -%}
    {%- for name, settings in replication_conflicts.publications().items()
        if publication in [none, name] and settings is mapping
    -%}
        {%- for record in settings.get('logical_records') or []
            if record is mapping and settings.get('articles') is mapping
        -%}
            {%- set members = record.get('members') if record.get('members') is mapping else {} -%}
            {%- set depths = {record.get('top'): 0} -%}
            {%- for _ in members -%}
                {%- for article, member in members.items()
                    if article not in depths
                    and member is mapping
                    and member.get('parent') in depths
                -%}
                    {%- do depths.update({article: depths[member.parent] + 1}) -%}
                {%- endfor -%}
            {%- endfor -%}
            {#- what is wrong with a record is said by logical_record_problems -#}
            {%- for article, depth in depths.items()
                if settings.articles.get(article) is mapping
            -%}
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
