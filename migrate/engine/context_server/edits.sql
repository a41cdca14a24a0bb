-- What this track writes. One row a record, path and code; the value is that of the whole path after all of them.
CREATE TABLE edits AS
WITH scalar AS (
    SELECT f.ordinal, f.wave, f.code, f.level, f.requires, unnest(f.edits) AS e
    FROM findings f WHERE len(f.edits) > 0 AND f.level IN ('safe', 'unsafe')),
given AS (
    SELECT f.ordinal, f.wave, f.code, f.level, f.requires, f.path, f.value
    FROM findings f WHERE f.value IS DISTINCT FROM '' AND f.level IN ('safe', 'unsafe')),
extra AS (
    SELECT s.ordinal, s.wave, s.code, s.level, NULL AS requires, s.path, s.value FROM set_edits s),
-- Decoding a metadata text is a change of the whole of it.
decoded AS (
    SELECT ordinal FROM records WHERE metadata_form = 'text' AND NOT getvariable('text_encoded') AND class IN ('v1', 'legacy')
      AND takes('CS004', 'safe') AND written('CS004')),
waves AS (SELECT unnest(getvariable('waves')) AS w),
shared AS (
    SELECT ordinal, path, value, code, level FROM link_edits
    UNION ALL SELECT ordinal, path, value, code, level FROM reference_edits
    UNION ALL SELECT ordinal, path, value, code, level FROM tag_edits),
together AS (
    SELECT ordinal, wave, code, level, requires, e.path AS path, e.value AS value, false AS shared FROM scalar
    UNION ALL
    SELECT ordinal, wave, code, level, requires, path, value, false FROM given
    UNION ALL
    SELECT ordinal, wave, code, level, requires, path, value, false FROM extra
    UNION ALL
    SELECT ordinal, 0, 'CS004', 'safe', NULL, '', NULL, false FROM decoded
    UNION ALL
    SELECT s.ordinal, w.w.wave, s.code, s.level, NULL, s.path, s.value, true FROM shared s JOIN waves w ON w.w.code = s.code)
SELECT DISTINCT t.ordinal, t.path, t.wave, t.code, t.value, t.requires,
       -- Promotion and demotion have already been decided for the others.
       CASE WHEN t.shared AND t.level = 'unsafe' AND list_contains(getvariable('promoted'), t.code) THEN 'safe'
            WHEN t.shared AND t.level = 'safe' AND list_contains(getvariable('demoted'), t.code) THEN 'unsafe' ELSE t.level END AS level
FROM together t JOIN records r USING (ordinal)
WHERE r.class IN ('v1', 'legacy') AND written(t.code) AND t.ordinal NOT IN (SELECT ordinal FROM main.unstorable)
  AND NOT (r.metadata_form = 'text' AND NOT getvariable('text_encoded') AND NOT (written('CS004') AND takes('CS004', 'safe')))
  AND (t.shared OR t.level = 'safe' OR getvariable('track') = 'unsafe');
