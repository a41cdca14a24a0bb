-- What other records must still say for a change to be right; nothing here must change together.
CREATE TABLE requirements AS
SELECT DISTINCT f.ordinal, f.code, q.record::VARCHAR AS record, q.path AS path, q.holds::VARCHAR AS holds, NULL::VARCHAR AS spelled
FROM (SELECT ordinal, code, unnest(from_json(requires, '[{"record":"JSON","path":"VARCHAR","holds":"JSON"}]')) AS q
      FROM findings WHERE requires IS NOT NULL) f;

CREATE TABLE unit_pairs (one BIGINT, other BIGINT);
