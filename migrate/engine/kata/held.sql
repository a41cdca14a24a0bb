-- Records that share an id: an import takes neither.
CREATE TABLE repeated AS
SELECT ordinal, id_key, id_json, min(ordinal) OVER (PARTITION BY record_kind, id_key) AS first
FROM items
WHERE broken IS NULL AND record_kind IS NOT NULL
  AND (record_kind, id_key) IN (SELECT (record_kind, id_key) FROM items WHERE broken IS NULL AND id_key IS NOT NULL
                                GROUP BY record_kind, id_key HAVING count(*) > 1);

-- Not from `items`, which holds `fixed` itself.
INSERT INTO fixed BY NAME
SELECT rowid AS ordinal, * FROM lines WHERE rowid IN (SELECT ordinal FROM repeated) AND rowid NOT IN (SELECT ordinal FROM fixed);
UPDATE fixed SET conflict = true WHERE ordinal IN (SELECT ordinal FROM repeated);
UPDATE fixed SET held = true, class = 'held' WHERE record_kind IS NOT NULL AND (conflict OR doubled);
