-- What is reported: codes that are selected, at the level the user leaves them, in the order of the ecosystem's tools.

CREATE TABLE findings AS
SELECT code, wave, ordinal, file, line,
       CASE WHEN level = 'info' THEN 'info'
            WHEN level NOT IN ('safe', 'unsafe') OR code NOT IN (SELECT code FROM repairing) THEN 'manual'
            WHEN list_contains(getvariable('promoted'), code) THEN 'safe'
            WHEN list_contains(getvariable('demoted'), code) THEN 'unsafe'
            ELSE level END AS level,
       CASE WHEN level = 'info' THEN 'info' ELSE severity END AS severity,
       evidence, position, mark,
       row_number() OVER (PARTITION BY code, ordinal, file, mark ORDER BY position, line) AS occurrence
FROM found SEMI JOIN scopes USING (ordinal)
WHERE list_contains(getvariable('selected'), code);
