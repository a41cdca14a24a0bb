-- Small words of this table model, beside those of every one.


-- The fold of enum values: ASCII only; runs of blank or hyphen become one underscore.
CREATE OR REPLACE MACRO fold(s) AS
    regexp_replace(ascii_lower(ascii_trim(s)), '[\s\x0b-]+', '_', 'g');
-- The fold of report types: blanks and underscores become hyphens.
CREATE OR REPLACE MACRO hyphenated(s) AS
    regexp_replace(ascii_lower(ascii_trim(s)), '[\s\x0b_]+', '-', 'g');
-- The fold of link keys: camel case and every other spelling to snake case.
CREATE OR REPLACE MACRO snake(s) AS fold(regexp_replace(s, '([a-z0-9])([A-Z])', '\1_\2', 'g'));

-- Whether links name a parent, under any spelling of the key.
CREATE OR REPLACE MACRO has_parent(links) AS
    CASE WHEN contains(ascii_lower(links), 'parent') THEN
        list_bool_or(list_transform(json_keys(links), lambda k, i: snake(k) = 'parent' AND present(json_extract(links, '$.*')[i]::VARCHAR) IS NOT NULL)) END;


-- Digits, fraction and exponent of a number text.
CREATE OR REPLACE MACRO number_part(j, part) AS
    regexp_extract(j, '^(-?)([0-9]+)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$', part);
CREATE OR REPLACE MACRO shifted(digits, scale) AS
    CASE WHEN scale > 400 OR scale < -400 THEN NULL
         WHEN scale >= 0 THEN digits || repeat('0', scale::INT)
         WHEN ltrim(right(digits, (-scale)::INT), '0') <> '' THEN NULL
         ELSE left(digits, greatest(length(digits) + scale, 0)::INT) END;
CREATE OR REPLACE MACRO exponent_of(j) AS
    CASE WHEN number_part(j, 4) = '' THEN 0 ELSE coalesce(try_cast(number_part(j, 4) AS BIGINT), 9999) END;
CREATE OR REPLACE MACRO signed(sign, digits) AS
    CASE WHEN digits = '' THEN '0' ELSE sign || digits END;
-- The exact decimal text of an integral number in any spelling, NULL for anything else.
CREATE OR REPLACE MACRO integer_of(j) AS
    CASE WHEN j IS NULL OR NOT is_number(j) THEN NULL
         WHEN j = '-0' THEN '0'
         WHEN is_plain_integer(j) THEN j
         ELSE signed(number_part(j, 1),
                     ltrim(shifted(number_part(j, 2) || number_part(j, 3),
                                   exponent_of(j) - length(number_part(j, 3))), '0'))
    END;

-- A point in time as microseconds since 1970 UTC; NULL where unreadable. Naive times are UTC.
CREATE OR REPLACE MACRO moment_part(s, part) AS
    regexp_extract(s, '^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?([.,][0-9]+)?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?$', part);
CREATE OR REPLACE MACRO offset_minutes(o) AS
    CASE WHEN o IN ('', 'Z') THEN 0
         ELSE (CASE WHEN o[1] = '-' THEN -1 ELSE 1 END)
              * (o[2:3]::BIGINT * 60 + CASE WHEN length(o) > 3 THEN right(o, 2)::BIGINT ELSE 0 END) END;
CREATE OR REPLACE MACRO moment_of_string(s) AS
    CASE WHEN s[1:4] = '0000' THEN NULL
         WHEN regexp_full_match(s, '[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}')
         THEN epoch_us(try_cast(s AS TIMESTAMP))
         WHEN regexp_full_match(s, '[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}Z')
         THEN epoch_us(try_cast(left(s, 19) AS TIMESTAMP))
         WHEN moment_part(s, 1) <> '' AND NOT (moment_part(s, 3) = '' AND moment_part(s, 4) <> '')
         THEN epoch_us(try_cast(moment_part(s, 1) || ' ' || moment_part(s, 2)
                                || CASE WHEN moment_part(s, 3) = '' THEN ':00' ELSE moment_part(s, 3) END
                                || replace(left(moment_part(s, 4), 7), ',', '.') AS TIMESTAMP))
              - offset_minutes(moment_part(s, 5)) * 60000000
    END;
-- Seconds since 1970 as a JSON number, years 1 to 9999.
CREATE OR REPLACE MACRO moment_of_number(j) AS
    CASE WHEN try_cast(j AS DOUBLE) BETWEEN -62135596800 AND 253402300799
         THEN (try_cast(j AS DOUBLE) * 1000000)::BIGINT END;
CREATE OR REPLACE MACRO moment(j) AS
    CASE WHEN j IS NULL THEN NULL
         WHEN regexp_full_match(j, '"[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}"') THEN epoch_us(try_cast(j[2:20] AS TIMESTAMP))
         WHEN j[1] = '"' THEN moment_of_string(string_of(j))
         WHEN is_number(j) THEN moment_of_number(j) END;

-- A real calendar date in the form YYYY-MM-DD.
CREATE OR REPLACE MACRO is_date(s) AS
    regexp_full_match(s, '[0-9]{4}-[0-9]{2}-[0-9]{2}') AND s[1:4] <> '0000' AND try_cast(s AS DATE) IS NOT NULL;
-- A URL with a scheme, :// and a host.
CREATE OR REPLACE MACRO is_url(s) AS regexp_matches(s, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s]+');
CREATE OR REPLACE MACRO is_commit(s) AS regexp_full_match(s, '[0-9a-f]{40}|[0-9a-f]{64}');
CREATE OR REPLACE MACRO is_placeholder(s) AS
    s = '...' OR (length(s) > 1 AND s[1] = '[' AND s[-1] = ']') OR (length(s) > 1 AND s[1] = '<' AND s[-1] = '>');
-- The 32 lowercase hex digits of a UUID in any spelling, NULL for anything else.
CREATE OR REPLACE MACRO hex_of(s) AS
    CASE WHEN regexp_full_match(s, '[0-9a-f]{32}') THEN s
         WHEN regexp_full_match(s, '\s*([0-9a-fA-F]{32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\s*')
         THEN ascii_lower(replace(ascii_trim(s), '-', '')) END;
CREATE OR REPLACE MACRO is_decimal(s) AS regexp_full_match(s, '[1-9][0-9]*');
CREATE OR REPLACE MACRO is_empty_value(j) AS j IN ('[]', '{}', 'null');

-- A record's own id as a key: its form, then its canonical token; NULL for what is no id.
CREATE OR REPLACE MACRO own_key(j) AS
    CASE WHEN regexp_full_match(j, '[1-9][0-9]*') THEN 'i' || j
         WHEN regexp_full_match(j, '"([0-9a-fA-F]{32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"')
         THEN 'h' || ascii_lower(replace(j[2:-2], '-', '')) END;
CREATE OR REPLACE MACRO own_form(key) AS CASE key[1] WHEN 'i' THEN 'integer' WHEN 'h' THEN 'uuid' END;
-- The strings of a JSON array of strings, or of one string; NULL for anything else.
CREATE OR REPLACE MACRO string_list_of_array(j) AS
    CASE WHEN j = '[]' THEN []::VARCHAR[]
         WHEN regexp_full_match(j, '\["[^"\\]*"(,"[^"\\]*")*\]') THEN string_split(j[3:-3], '","')
         WHEN starts_with(j, '[') AND list_bool_and(list_transform(json_extract(j, '$[*]')::VARCHAR[], lambda t: starts_with(t, '"')))
         THEN json_extract_string(j, '$[*]') END;
CREATE OR REPLACE MACRO string_list(j) AS
    CASE WHEN j IS NULL THEN NULL WHEN starts_with(j, '"') THEN [json_extract_string(j, '$')] ELSE string_list_of_array(j) END;
-- Tags as the server keeps them: trimmed, lower case as Python lowers them, no blanks, no doubles. DuckDB lowers as
-- Python does but for a capital I with a dot, and for a sigma, whose lower case depends on its place: those are looked up.
CREATE OR REPLACE MACRO clean_tag(t) AS
    CASE WHEN strlen(t) = length(t) THEN ascii_lower(trim(t, ' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13) || chr(28) || chr(29) || chr(30) || chr(31)))
         WHEN contains(t, 'Σ') THEN coalesce(map_extract_value(getvariable('odd_tags'), t), t)
         ELSE lower(replace(trim(t, getvariable('blanks')), 'İ', 'i̇')) END;
CREATE OR REPLACE MACRO cleaned_tags(l) AS
    without_doubles(list_filter(list_transform(l, lambda t: clean_tag(t)), lambda t: t <> ''));
-- Tags as found, and as the server keeps them; most are `plain`: an array of different tokens that are kept as they are.
CREATE OR REPLACE MACRO tags_listed(j, plain) AS
    CASE WHEN j IS NULL THEN NULL WHEN plain THEN string_split(j[3:-3], '","') ELSE string_list_of_array(j) END;
CREATE OR REPLACE MACRO tags_cleaned(j, plain) AS
    CASE WHEN j IS NULL THEN NULL WHEN plain THEN string_split(j[3:-3], '","') ELSE cleaned_tags(string_list_of_array(j)) END;
-- A kind of the registry in its right spelling.
CREATE OR REPLACE MACRO kind_named(t) AS
    CASE WHEN t IS NULL THEN NULL WHEN is_kind_name(t) THEN t WHEN is_kind_name(fold(t)) THEN fold(t) END;
-- A string that is blank or holds several values.
CREATE OR REPLACE MACRO is_crowded_text(s) AS ascii_trim(s) = '' OR regexp_matches(s, '[,;\r\n]');
CREATE OR REPLACE MACRO is_upstream_ref(s) AS regexp_full_match(s, '[^\s#/]+(/[^\s#/]+)+#[0-9]+');
CREATE OR REPLACE MACRO exact_json(j) AS exact(j);
CREATE OR REPLACE MACRO tokens_of(l) AS without_doubles(list_transform(l, lambda t: ascii_lower(ascii_trim(t))));

CREATE OR REPLACE MACRO id_value_of(key) AS CASE WHEN starts_with(key, 'h') THEN '"' || key[2:] || '"' ELSE key[2:] END;
CREATE OR REPLACE MACRO is_artifact(kind) AS is_kind_token(kind);
CREATE OR REPLACE MACRO needs_status(kind) AS is_kind_with_status(kind);
CREATE OR REPLACE MACRO in_vocabulary(vocabulary, status) AS
    CASE vocabulary WHEN 'work' THEN is_status_of_work(status)
                    WHEN 'issue' THEN is_status_of_issue(status)
                    WHEN 'upstream_issue' THEN is_status_of_upstream_issue(status)
                    WHEN 'any' THEN is_status_of_any(status) END;
-- The user's own word for a status: by the kind, else by any.
CREATE OR REPLACE MACRO mapped_status(kind, folded) AS
    coalesce(map_extract_value(getvariable('status_map'), coalesce(kind, '-') || ':' || folded), map_extract_value(getvariable('status_map'), 'any:' || folded));

-- Whether a compact array holds nothing but well-formed elements of its role, and those elements.
CREATE OR REPLACE MACRO has_plain_elements(role, value) AS
    CASE WHEN value = '[]' THEN true
         WHEN role = 'entry' THEN CASE WHEN getvariable('id_form') = 'integer' THEN regexp_full_match(value, '\[[1-9][0-9]*(,[1-9][0-9]*)*\]')
                                       ELSE regexp_full_match(value, '\["[0-9a-f]{32}"(,"[0-9a-f]{32}")*\]') END
         WHEN role = 'commit' THEN regexp_full_match(value, '\["([0-9a-f]{40}|[0-9a-f]{64})"(,"([0-9a-f]{40}|[0-9a-f]{64})")*\]')
         WHEN role = 'url' THEN regexp_full_match(value, '\["[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s"\\,]+[^"\\,]*"(,"[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s"\\,]+[^"\\,]*")*\]')
         WHEN role = 'external' THEN regexp_full_match(value, '\["[^"\\,]*"(,"[^"\\,]*")*\]')
         ELSE false END;
CREATE OR REPLACE MACRO plain_elements(value) AS
    CASE WHEN value = '[]' THEN []::VARCHAR[] ELSE string_split(value[2:-2], ',') END;
-- The key of an id that is written as the corpus writes it.
CREATE OR REPLACE MACRO plain_key(token) AS CASE WHEN starts_with(token, '"') THEN 'h' || token[2:-2] ELSE 'i' || token END;

-- How many members a short, compact JSON text can have at most, at any depth.
CREATE OR REPLACE MACRO member_bound(j) AS CASE WHEN j IS NULL THEN 0 ELSE (strlen(j) - strlen(replace(j, '":', ''))) // 2 END;

CREATE OR REPLACE MACRO is_other_than_string(j) AS NOT starts_with(j, '"') AND j <> 'null';
-- Cheap looks before dear ones.
CREATE OR REPLACE MACRO opens_placeholder(j) AS starts_with(j, '"[') OR starts_with(j, '"<') OR starts_with(j, '"..');
CREATE OR REPLACE MACRO are_plain_tokens(j) AS
    CASE WHEN j IS NULL THEN true
         WHEN regexp_full_match(j, '\["[a-z0-9._+#-]+"(,"[a-z0-9._+#-]+")*\]')
         THEN NOT contains(j, ',') OR list_transform([string_split(j[3:-3], '","')], lambda l: are_distinct(l))[1] ELSE false END;
CREATE OR REPLACE MACRO has_untidy_tokens(j, l) AS
    l IS NOT NULL AND NOT (starts_with(j, '"') AND is_crowded_text(l[1])) AND tokens_of(l) <> l;
