-- What is reported: codes that are selected, at the level the user and the record's class leave them.

CREATE TABLE withheld_repairs AS
SELECT DISTINCT f.ordinal FROM found f JOIN records r USING (ordinal)
WHERE r.class = 'user_message' AND f.level IN ('safe', 'unsafe') AND written(f.code);

CREATE TABLE findings AS
WITH chosen AS (
    SELECT f.*, r.class,
           CASE WHEN f.level NOT IN ('safe', 'unsafe') THEN f.level
                WHEN r.class = 'user_message' THEN 'manual'
                WHEN r.metadata_form = 'text' AND NOT getvariable('text_encoded') AND NOT written('CS004') THEN 'manual'
                WHEN len(list_filter(f.needs, lambda c: NOT written(c))) > 0 THEN 'manual'
                WHEN f.level = 'unsafe' AND list_contains(getvariable('promoted'), f.code) THEN 'safe'
                WHEN f.level = 'safe' AND list_contains(getvariable('demoted'), f.code) THEN 'unsafe'
                ELSE f.level END AS final_level,
           r.v1
    FROM found f LEFT JOIN records r USING (ordinal)
    WHERE written(f.code)
    UNION ALL
    SELECT 'CS801', 4, w.ordinal, '', 'info', 'info', '{"why":"a user message is never changed"}', [], NULL, [], 'user_message', 'info', r.v1
    FROM withheld_repairs w JOIN records r USING (ordinal) WHERE written('CS801'))
SELECT code, wave, ordinal, path, final_level AS level,
       CASE WHEN final_level = 'info' THEN 'info'
            WHEN severity = 'by-level' THEN CASE WHEN final_level = 'manual' AND class IN ('v1', 'held', 'user_message') AND coalesce(v1, true) THEN 'error' ELSE 'warning' END
            WHEN severity = 'manual-error' THEN CASE WHEN final_level = 'manual' THEN 'error' ELSE 'warning' END
            WHEN severity = 'by-version' THEN CASE WHEN v1 THEN 'error' ELSE 'warning' END
            ELSE severity END AS severity,
       evidence, needs, requires, edits
FROM chosen
QUALIFY row_number() OVER (PARTITION BY ordinal, code, path ORDER BY array_position(['safe', 'unsafe', 'manual', 'info'], final_level)) = 1;
