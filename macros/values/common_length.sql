{#- How many characters two texts begin with in common; 0 where one of them is NULL. Found by
    halving: a look at each beginning would take with the square of the texts' length. -#}
{% macro common_length(text, other_text) -%}
    aggregate(
        sequence(30, 0, -1),
        0,
        (found, exponent) -> found + if(
            found + shiftleft(1, exponent) <= least(length({{ text }}), length({{ other_text }}))
            and left({{ text }}, found + shiftleft(1, exponent))
            = left({{ other_text }}, found + shiftleft(1, exponent)),
            shiftleft(1, exponent),
            0
        )
    )
{%- endmacro %}
