-- Facts of the graph that several rules share.

-- A table of its own: so few rows are joined the quick way round.
CREATE TABLE supersedes_edges AS SELECT ordinal, target, value, slot FROM edges WHERE key = 'supersedes' AND target IS NOT NULL AND NOT is_self;

-- Supersedes edges that could set the status of their target.
CREATE TABLE superseding AS
SELECT e.ordinal, e.target, e.value, e.slot, a.id_value AS by_value, a.id_key AS by_key, coalesce(a.created < b.created, false) AS older,
       b.v1 AND b.kind IN ('report', 'plan', 'handoff', 'checkpoint') AS certain, b.needs
FROM supersedes_edges e
JOIN nodes a ON a.ordinal = e.ordinal
JOIN nodes b ON b.ordinal = e.target
LEFT JOIN cycles ca ON ca.key = 'supersedes' AND ca.ordinal = e.ordinal
LEFT JOIN cycles cb ON cb.key = 'supersedes' AND cb.ordinal = e.target
WHERE b.class IN ('v1', 'legacy')
  AND NOT coalesce(b.kind IN ('issue', 'upstream_issue', 'comment', 'user_message'), false)
  AND NOT (b.kind IS NULL AND (b.kind_text IS NOT NULL OR b.v1))
  AND NOT coalesce(ca.component = cb.component, false);

-- The records they supersede. One edge is named as the ground, the same whatever the order of the file.
CREATE TABLE superseded AS
WITH judged AS (
    SELECT target AS ordinal, CASE WHEN bool_or(certain AND NOT older) THEN 'safe' ELSE 'unsafe' END AS level,
           list(by_value::JSON ORDER BY length(by_key), by_key) AS successors,
           first({'value': by_value, 'needs': needs} ORDER BY older, length(by_key), by_key) AS ground
    FROM superseding GROUP BY target)
SELECT j.ordinal, j.level, j.successors, n.status, j.ground.needs AS needs,
       '[{"record":' || j.ground.value || ',"path":"/links/supersedes","holds":' || n.id_value || '}]' AS requires
FROM judged j JOIN nodes n USING (ordinal);

CREATE TABLE comment_parents AS
SELECT n.ordinal, n.v1, c.value, c.id_key AS parent_key, i.ordinal AS target, r.thread, r.opening, r.has_text
FROM nodes n
JOIN (SELECT ordinal, any_value(value) AS value, any_value(id_key) AS id_key FROM cells WHERE key = 'parent'
      GROUP BY ordinal HAVING count(DISTINCT same) = 1) c USING (ordinal)
JOIN records r USING (ordinal)
LEFT JOIN ids i ON i.id_key = c.id_key
WHERE n.kind = 'comment' AND n.class IN ('v1', 'legacy') AND coalesce(c.id_key <> n.id_key, true);

-- Findings about single elements, gathered to one a record, code and array.
CREATE TABLE element_findings AS
WITH facts AS (
    SELECT ordinal, '/links/' || key AS path, code, level, token, repaired, pos, rank FROM elements WHERE part = 'links' AND code IS NOT NULL
    UNION ALL
    SELECT ordinal, '/links/' || key, 'CS507', 'manual', token, NULL, pos, rank FROM elements WHERE part = 'links' AND is_self
    UNION ALL
    SELECT ordinal, '/links/' || key, 'CS507', 'manual', value, NULL, slot, 0 FROM edges ANTI JOIN touched USING (ordinal) WHERE is_self
    UNION ALL
    SELECT e.ordinal, v.path, CASE WHEN e.is_self THEN 'CS507' ELSE e.code END, CASE WHEN e.is_self THEN 'manual' ELSE e.level END,
           e.token, CASE WHEN NOT e.is_self THEN e.repaired END, e.pos, e.rank
    FROM elements e JOIN reference_verdicts v USING (ordinal, rank)
    WHERE e.part = 'references' AND e.role = 'entry'
      AND CASE WHEN v.level = 'safe' THEN e.level = 'safe' ELSE e.level IN ('unsafe', 'manual') OR coalesce(e.is_self, false) END)
SELECT ordinal, path, code,
       CASE WHEN bool_or(level = 'safe') THEN 'safe' WHEN bool_or(level = 'unsafe') THEN 'unsafe' ELSE 'manual' END AS level,
       {'elements': list(token::JSON ORDER BY rank, pos), 'becomes': list(CASE WHEN level <> 'manual' THEN repaired::JSON END ORDER BY rank, pos)}::JSON AS evidence,
       []::VARCHAR[] AS needs
FROM facts GROUP BY ordinal, path, code;
