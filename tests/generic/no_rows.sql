{#- Fails for every row there is: for relations that list what somebody should look at. -#}
{% test no_rows(model) %}

select * from {{ model }}

{% endtest %}
