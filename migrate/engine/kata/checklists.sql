-- Checklists that the daemon refuses, put together again where that is possible. Only those that are not plainly right are taken apart.

CREATE TABLE checklist_items AS
WITH odd AS (
    SELECT ordinal, f_checklist AS found FROM records
    WHERE plans AND class <> 'held' AND f_checklist <> 'null' AND (NOT is_plain_checklist(f_checklist) OR has_lone_surrogate(f_checklist)))
SELECT ordinal, found, unnest(CASE WHEN starts_with(found, '[') THEN json_extract(found, '$[*]')::VARCHAR[] ELSE [NULL] END) AS item,
       unnest(CASE WHEN starts_with(found, '[') THEN range(len(json_extract(found, '$[*]'))) ELSE [0] END) AS pos
FROM odd;

CREATE TABLE checklists AS
WITH members AS (
    SELECT i.ordinal, i.pos, j.id AS place, j.key, j.value::VARCHAR AS value
    FROM (SELECT * FROM checklist_items WHERE starts_with(item, '{')) i, json_each(i.item) j),
named AS (
    SELECT *, CASE ascii_lower(key) WHEN 'id' THEN 'id' WHEN 'text' THEN 'text' WHEN 'done' THEN 'done' WHEN 'title' THEN 'text' WHEN 'checked' THEN 'done' END AS role,
           CASE WHEN key IN ('id', 'text', 'done') THEN 'name' WHEN ascii_lower(key) IN ('id', 'text', 'done') THEN 'case'
                WHEN key IN ('title', 'checked') THEN 'synonym' END AS manner
    FROM members),
-- The right name counts, then the same in another letter case, then a word for it; a second one of a kind is no answer.
chosen AS (
    SELECT ordinal, pos, role,
           CASE WHEN count(*) FILTER (manner = 'name') > 0 THEN 'name' WHEN count(*) FILTER (manner = 'case') > 0 THEN 'case' ELSE 'synonym' END AS manner,
           count(*) FILTER (manner = 'name') AS names, count(*) FILTER (manner = 'case') AS cases, count(*) FILTER (manner = 'synonym') AS synonyms
    FROM named WHERE role IS NOT NULL AND manner IS NOT NULL GROUP BY ordinal, pos, role),
used AS (
    SELECT n.*, c.manner AS spelled, CASE c.manner WHEN 'case' THEN c.cases = 1 WHEN 'synonym' THEN c.synonyms = 1 ELSE true END AS alone
    FROM named n JOIN chosen c ON c.ordinal = n.ordinal AND c.pos = n.pos AND c.role = n.role AND c.manner = n.manner),
repaired AS (
    SELECT *,
           CASE role WHEN 'id' THEN CASE WHEN is_item_id(value) THEN upper(value) END
                     WHEN 'text' THEN CASE WHEN starts_with(value, '"') AND NOT has_lone_surrogate(value) THEN value END
                     ELSE CASE WHEN value IN ('true', 'false') THEN value WHEN is_switch_text(value) THEN ascii_lower(value[2:-2]) END END AS becomes
    FROM used),
judged AS (
    SELECT ordinal, pos,
           coalesce(bool_and(alone AND becomes IS NOT NULL), false) AND count(DISTINCT role) = 3 AS can_be,
           coalesce(bool_or(spelled = 'case'), false) AS wrong_case,
           coalesce(bool_or(spelled = 'case' AND NOT alone), false) AS unclear_case,
           coalesce(bool_or(spelled = 'synonym'), false) AS wrong_word,
           coalesce(bool_or(becomes IS DISTINCT FROM value), false) AS wrong_value,
           count(DISTINCT role) < 3 AS lacks
    FROM repaired GROUP BY ordinal, pos),
texts AS (
    SELECT n.ordinal, n.pos,
           '{' || string_agg(json_text(CASE WHEN r.ordinal IS NOT NULL THEN n.role ELSE n.key END) || ':' || coalesce(r.becomes, n.value), ',' ORDER BY n.place) || '}' AS text
    FROM named n LEFT JOIN repaired r ON r.ordinal = n.ordinal AND r.pos = n.pos AND r.place = n.place
    GROUP BY n.ordinal, n.pos),
items AS (
    SELECT i.ordinal, i.found, i.pos, i.item, coalesce(j.can_be, false) AS can_be, coalesce(j.wrong_case, false) AS wrong_case,
           coalesce(j.wrong_word, false) AS wrong_word,
           -- Anything but a name in another letter case.
           j.ordinal IS NULL OR j.wrong_word OR j.lacks OR j.wrong_value AS wrong_item,
           CASE WHEN j.can_be THEN t.text ELSE i.item END AS text
    FROM checklist_items i LEFT JOIN judged j USING (ordinal, pos) LEFT JOIN texts t USING (ordinal, pos)),
whole AS (
    SELECT ordinal, any_value(found) AS found, bool_and(can_be) AS can_be, bool_or(wrong_case) AS wrong_case, bool_or(wrong_word) AS wrong_word,
           bool_or(wrong_item) AS wrong_item, list(pos ORDER BY pos) FILTER (wrong_case) AS cased_items, list(pos ORDER BY pos) FILTER (wrong_item) AS wrong_items,
           '[' || string_agg(text, ',' ORDER BY pos) || ']' AS becomes
    FROM items GROUP BY ordinal)
SELECT ordinal, found, wrong_case, wrong_item, cased_items, CASE WHEN starts_with(found, '[') THEN wrong_items END AS wrong_items,
       CASE WHEN can_be THEN becomes END AS becomes,
       -- The daemon takes the whole of it or nothing, so that what is wrong with it is repaired together.
       least_safe([CASE WHEN NOT can_be THEN 'manual' WHEN wrong_case THEN settled('KT003', 'safe') ELSE 'safe' END,
                   CASE WHEN NOT can_be THEN 'manual' WHEN wrong_item THEN settled('KT104', CASE WHEN wrong_word THEN 'unsafe' ELSE 'safe' END) ELSE 'safe' END]) AS level
FROM whole WHERE wrong_case OR wrong_item;
