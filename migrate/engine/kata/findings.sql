-- What is reported: codes that are selected, at the level the user and the record's class leave them.
CREATE TABLE findings AS
WITH chosen AS (
    SELECT f.*,
           CASE WHEN f.level NOT IN ('safe', 'unsafe') THEN f.level
                WHEN r.class IN ('deleted_issue', 'archived_project', 'recurrence') THEN 'manual'
                WHEN r.class = 'closed_issue' AND (f.path IN ('/scheduled_on', '/deadline_on', '/timezone') OR starts_with(f.path, '/work.')) THEN 'manual'
                WHEN len(list_filter(f.needs, lambda c: NOT written(c))) > 0 THEN 'manual'
                ELSE settled(f.code, f.level) END AS final_level
    FROM found f LEFT JOIN records r USING (ordinal)
    WHERE written(f.code))
SELECT code, wave, ordinal, path, final_level AS level, CASE WHEN final_level = 'info' THEN 'info' ELSE severity END AS severity,
       evidence, needs, requires,
       CASE WHEN value IS DISTINCT FROM '' THEN [{'path': path, 'value': value}] ELSE edits END AS edits
FROM chosen
QUALIFY row_number() OVER (PARTITION BY ordinal, code, path ORDER BY array_position(['safe', 'unsafe', 'manual', 'info'], final_level), evidence) = 1;
