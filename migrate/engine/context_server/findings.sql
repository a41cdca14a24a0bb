-- What is reported: codes that are selected, at the level the user and the record's class leave them.

CREATE TABLE withheld_repairs AS
SELECT DISTINCT f.ordinal FROM found f JOIN records r USING (ordinal)
WHERE r.class = 'user_message' AND f.level IN ('safe', 'unsafe') AND written(f.code);

CREATE TABLE findings AS
WITH chosen AS MATERIALIZED (
    SELECT f.*, hash(f.ordinal, f.code, f.path) AS mark, r.class, r.v1,
           CASE WHEN f.level NOT IN ('safe', 'unsafe') THEN f.level
                WHEN r.class = 'user_message' THEN 'manual'
                WHEN r.metadata_form = 'text' AND NOT getvariable('text_encoded') AND NOT written('CS004') THEN 'manual'
                WHEN f.ordinal IN (SELECT ordinal FROM main.unstorable) THEN 'manual'
                WHEN len(f.needs) > 0 AND len(list_filter(f.needs, lambda c: NOT written(c))) > 0 THEN 'manual'
                WHEN f.level = 'unsafe' AND list_contains(getvariable('promoted'), f.code) THEN 'safe'
                WHEN f.level = 'safe' AND list_contains(getvariable('demoted'), f.code) THEN 'unsafe'
                ELSE f.level END AS final_level
    FROM found f LEFT JOIN (SELECT ordinal, class, metadata_form, v1 FROM records) r USING (ordinal)
    WHERE written(f.code)
    UNION ALL
    SELECT 'CS801', 4, w.ordinal, '', 'info', 'info', '{"why":"a user message is never changed"}', [], NULL, [], '', 0, 'user_message', r.v1, 'info'
    FROM withheld_repairs w JOIN records r USING (ordinal) WHERE written('CS801')),
-- One finding a record, code and path: few are there more than once.
repeated AS (SELECT mark FROM chosen GROUP BY mark HAVING count(*) > 1),
single AS (
    SELECT * FROM chosen ANTI JOIN repeated USING (mark)
    UNION ALL
    SELECT * FROM chosen SEMI JOIN repeated USING (mark)
    QUALIFY row_number() OVER (PARTITION BY ordinal, code, path ORDER BY array_position(['safe', 'unsafe', 'manual', 'info'], final_level)) = 1)
SELECT code, wave, ordinal, path, final_level AS level,
       CASE WHEN final_level = 'info' THEN 'info'
            WHEN severity = 'by-level' THEN CASE WHEN final_level = 'manual' AND class IN ('v1', 'held', 'user_message') AND coalesce(v1, true) THEN 'error' ELSE 'warning' END
            WHEN severity = 'manual-error' THEN CASE WHEN final_level = 'manual' THEN 'error' ELSE 'warning' END
            WHEN severity = 'by-version' THEN CASE WHEN v1 THEN 'error' ELSE 'warning' END
            ELSE severity END AS severity,
       evidence, needs, requires, edits, value
FROM single;
