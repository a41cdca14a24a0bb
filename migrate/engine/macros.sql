-- Small words of every table model. Every JSON value travels as its text; its type is its first character.

-- The string a JSON text holds, NULL for any other type.
CREATE OR REPLACE MACRO string_of(j) AS
    CASE WHEN starts_with(j, '"') THEN CASE WHEN contains(j, '\') THEN json_extract_string(j, '$') ELSE j[2:-2] END END;

-- A string as JSON text.
CREATE OR REPLACE MACRO json_text(s) AS to_json(s)::VARCHAR;

-- NULL for JSON null as for an absent member.
CREATE OR REPLACE MACRO present(j) AS CASE WHEN j = 'null' THEN NULL ELSE j END;

CREATE OR REPLACE MACRO ascii_lower(s) AS translate(s, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz');

CREATE OR REPLACE MACRO ascii_trim(s) AS trim(s, ' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13));

CREATE OR REPLACE MACRO is_number(j) AS (j[1] BETWEEN '0' AND '9' OR j[1] = '-');

CREATE OR REPLACE MACRO is_plain_integer(j) AS regexp_full_match(j, '-?(0|[1-9][0-9]*)');

-- A number that a double cannot hold travels as a marked string; here is its text again.
CREATE OR REPLACE MACRO exact(j) AS CASE WHEN j[2] = chr(1114111) THEN j[3:-2] ELSE j END;

-- Whether no entry of a list stands twice; most lists are short.
CREATE OR REPLACE MACRO are_distinct(l) AS
    CASE len(l) WHEN 0 THEN true WHEN 1 THEN true WHEN 2 THEN l[1] <> l[2] WHEN 3 THEN l[1] <> l[2] AND l[1] <> l[3] AND l[2] <> l[3]
                ELSE len(list_distinct(l)) = len(l) END;

CREATE OR REPLACE MACRO without_doubles(l) AS list_filter(l, lambda x, i: list_position(l, x) = i);

-- Whether this track carries a repair of this code and level on to what is decided after it.
CREATE OR REPLACE MACRO takes(code, level) AS
    CASE level WHEN 'safe' THEN getvariable('track') = 'unsafe' OR NOT list_contains(getvariable('demoted')::VARCHAR[], code)
               WHEN 'unsafe' THEN getvariable('track') = 'unsafe' OR list_contains(getvariable('promoted')::VARCHAR[], code)
               ELSE false END;

-- Whether findings of this code are reported and its repairs written.
CREATE OR REPLACE MACRO written(code) AS list_contains(getvariable('selected')::VARCHAR[], code);

-- NaN and the infinities, which the JSON functions write so whatever their case was.
CREATE OR REPLACE MACRO names_no_number(j) AS contains(j, 'NaN') OR contains(j, 'Infinity');

-- Whether a JSON text holds a number that is written as a float.
CREATE OR REPLACE MACRO has_float(j) AS regexp_matches(j, '(^|[\[,:])-?[0-9]+[.eE]');

CREATE OR REPLACE MACRO has_doubles(j) AS len(list_distinct(json_keys(j))) < len(json_keys(j));
