-- What this track writes. One row a record, path and code; the value is that of the whole path after all of them (NULL: the member goes).
CREATE TABLE edits AS
SELECT DISTINCT f.ordinal, e.path AS path, f.wave, f.code, e.value AS value, f.requires, f.level
FROM (SELECT *, unnest(edits) AS e FROM findings WHERE len(edits) > 0) f
WHERE f.level = 'safe' OR (f.level = 'unsafe' AND getvariable('track') = 'unsafe');
