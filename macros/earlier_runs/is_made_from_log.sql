{#- Whether a table whose newest row is of run `sequence` was made from the decision log as it is
    now. It was not when the log has been rebuilt since (a full refresh that died before it came to
    this table), or begun anew. `sequence` none or 0: nothing of the log is in the table yet. -#}
{% macro is_made_from_log(sequence, log) -%}
    {{ return(
        not sequence
        or (log.first is not none and log.first <= sequence and sequence <= log.last)
    ) }}
{%- endmacro %}
