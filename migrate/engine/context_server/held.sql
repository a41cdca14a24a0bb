-- Lines that share an id: copies of one another, or a conflict that holds them all.
CREATE TABLE repeated AS
WITH twice AS (SELECT id_key FROM kept WHERE broken IS NULL AND id_key IS NOT NULL GROUP BY id_key HAVING count(*) > 1)
SELECT l.ordinal, l.id_key, l.id_json,
       min(l.ordinal) OVER (PARTITION BY l.id_key) AS first,
       min(line_hash) OVER (PARTITION BY l.id_key) <> max(line_hash) OVER (PARTITION BY l.id_key)
           OR min(length) OVER (PARTITION BY l.id_key) <> max(length) OVER (PARTITION BY l.id_key) AS conflict
FROM kept l SEMI JOIN twice USING (id_key) WHERE l.broken IS NULL;

-- Not from `items`, which holds `fixed` itself.
INSERT INTO fixed BY NAME
SELECT rowid AS ordinal, * FROM lines WHERE rowid IN (SELECT ordinal FROM repeated) AND rowid NOT IN (SELECT ordinal FROM fixed);
UPDATE fixed SET copy = true WHERE ordinal IN (SELECT ordinal FROM repeated WHERE NOT conflict AND ordinal <> first);
UPDATE fixed SET conflict = true WHERE ordinal IN (SELECT ordinal FROM repeated WHERE conflict);
-- Nothing is inferred of a record that is held.
UPDATE fixed SET held = true, class = 'held', vocabulary = NULL, status_verdict = NULL, status_level = NULL, status_other = NULL,
                 kind_inferred = NULL, kind_evidence = NULL
WHERE conflict OR doubled;
