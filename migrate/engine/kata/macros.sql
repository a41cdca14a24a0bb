-- Small words of this table model, beside those of every one.

-- A record's own id as a key, and back as JSON text: its uid, or its number where the export is too old to have one.
CREATE OR REPLACE MACRO own_key(j) AS CASE WHEN starts_with(j, '"') THEN 's' || string_of(j) WHEN is_plain_integer(j) THEN 'i' || j END;
CREATE OR REPLACE MACRO id_value_of(key) AS CASE WHEN starts_with(key, 's') THEN json_text(key[2:]) ELSE key[2:] END;

CREATE OR REPLACE MACRO own_form(key) AS CASE WHEN key IS NOT NULL THEN 'ulid' END;

-- A repair's level as the user left it.
CREATE OR REPLACE MACRO settled(code, level) AS
    CASE WHEN level = 'unsafe' AND list_contains(getvariable('promoted')::VARCHAR[], code) THEN 'safe'
         WHEN level = 'safe' AND list_contains(getvariable('demoted')::VARCHAR[], code) THEN 'unsafe' ELSE level END;
CREATE OR REPLACE MACRO least_safe(levels) AS
    CASE WHEN list_contains(levels, 'manual') THEN 'manual' WHEN list_contains(levels, 'unsafe') THEN 'unsafe' ELSE 'safe' END;

-- Lone surrogates, which travel as private characters; the daemon refuses them in what it decodes.
CREATE OR REPLACE MACRO has_lone_surrogate(s) AS strlen(s) > length(s) AND regexp_matches(s, '[\x{10D800}-\x{10DFFF}]');

-- A day of the proleptic Gregorian calendar, years 0 to 9999.
CREATE OR REPLACE MACRO is_day(y, m, d) AS
    m BETWEEN 1 AND 12 AND d BETWEEN 1 AND
    CASE WHEN m IN (4, 6, 9, 11) THEN 30
         WHEN m = 2 THEN CASE WHEN y % 4 = 0 AND (y % 100 <> 0 OR y % 400 = 0) THEN 29 ELSE 28 END ELSE 31 END;
CREATE OR REPLACE MACRO is_date(s) AS
    regexp_full_match(s, '[0-9]{4}-[0-9]{2}-[0-9]{2}')
    AND coalesce(is_day(try_cast(s[1:4] AS INTEGER), try_cast(s[6:7] AS INTEGER), try_cast(s[9:10] AS INTEGER)), false);
-- What the daemon makes of a planning date: date, local time or instant; `unresolvable` where it takes a local time when it
-- is written and cannot place it when it is read; NULL where it refuses it.
CREATE OR REPLACE MACRO schedule_form(s) AS
    CASE WHEN NOT is_date(s[1:10]) THEN NULL
         WHEN length(s) = 10 THEN 'date'
         WHEN regexp_full_match(s[11:], 'T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?') THEN 'local'
         WHEN regexp_full_match(s[11:], 'T([01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.,][0-9]+)?Z') THEN 'instant'
         WHEN regexp_full_match(s[11:], 'T([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.,][0-9]+)?)?') THEN 'unresolvable' END;
CREATE OR REPLACE MACRO schedule_verdict(j) AS
    CASE WHEN j IS NULL OR j = 'null' THEN NULL
         WHEN NOT starts_with(j, '"') THEN 'mistyped'
         ELSE coalesce(schedule_form(string_of(j)), 'refused') END;

-- The parts of a value that is nearly a planning date: year, month between its separators, day, hour, minute, second, the
-- fraction with its mark, zone.
CREATE OR REPLACE MACRO schedule_part(s, part) AS
    regexp_extract(s, '^([0-9]{4})([-/][0-9]{1,2}[-/])([0-9]{1,2})(?:[Tt ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})([.,][0-9]+)?)?([Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?$', part);

-- Members of an item of a checklist by what they stand for.
CREATE OR REPLACE MACRO is_item_id(j) AS regexp_full_match(j, '"[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{26}"');
CREATE OR REPLACE MACRO is_switch_text(j) AS ascii_lower(j) IN ('"true"', '"false"');
-- Compact checklists as the daemon's own clients write them; any other is looked at item by item.
CREATE OR REPLACE MACRO is_plain_checklist(j) AS
    j = '[]' OR regexp_full_match(j, '\[\{"id":"[0-9A-HJKMNP-TV-Z]{26}","text":"([^"\\]|\\[^u])*","done":(true|false)\}(,\{"id":"[0-9A-HJKMNP-TV-Z]{26}","text":"([^"\\]|\\[^u])*","done":(true|false)\})*\]');

-- Base64 of any alphabet and padding to bytes, NULL for what is none; bytes to the alphabet of keys.
CREATE OR REPLACE MACRO standard_base64(s) AS translate(rtrim(s, '='), '-_', '+/');
CREATE OR REPLACE MACRO bytes_of(s) AS
    CASE WHEN strlen(standard_base64(s)) % 4 <> 1 AND regexp_full_match(standard_base64(s), '[A-Za-z0-9+/]+')
         THEN try(from_base64(standard_base64(s) || repeat('=', (-strlen(standard_base64(s)) % 4 + 4)::INT % 4))) END;
CREATE OR REPLACE MACRO request_key(recipient) AS 'notify.' || rtrim(translate(to_base64(encode(recipient)), '+/', '-_'), '=');
CREATE OR REPLACE MACRO is_recipient(s) AS s <> '' AND strlen(s) <= 128 AND NOT regexp_matches(s, '[\p{Cc}\p{Cf}]') AND NOT has_lone_surrogate(s);
CREATE OR REPLACE MACRO request_trim(s) AS trim(s, getvariable('blanks'));
CREATE OR REPLACE MACRO is_text_with_words(j) AS coalesce(request_trim(string_of(j)) <> '', false);
CREATE OR REPLACE MACRO pointer_to(key) AS '/' || replace(replace(key, '~', '~0'), '/', '~1');
CREATE OR REPLACE MACRO attention_fold(s) AS regexp_replace(ascii_lower(ascii_trim(s)), '[ _]+', '-', 'g');
