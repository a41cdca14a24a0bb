-- What this track writes: one row a record, path and code, with the final value of the path (NULL: the member goes).

-- A duplicate of a duplicate, followed to the end of its chain.
CREATE TABLE duplicate_chains AS
WITH RECURSIVE
single AS (SELECT ordinal, any_value(target) AS target, count(*) AS n, bool_or(is_self) AS is_self FROM edges WHERE key = 'duplicate_of' GROUP BY ordinal),
hop AS (
    SELECT ordinal AS start, target AS node, [ordinal] AS path FROM single WHERE n = 1 AND target IS NOT NULL AND NOT is_self
    UNION ALL
    SELECT h.start, s.target, list_append(h.path, h.node) FROM hop h JOIN single s ON s.ordinal = h.node
    WHERE s.n = 1 AND s.target IS NOT NULL AND NOT list_contains(h.path, h.node)),
ends AS (SELECT start, arg_max(node, len(path)) AS node, arg_max(path, len(path)) AS path FROM hop GROUP BY start)
SELECT e.start AS ordinal, e.node, e.path, n.id_value AS value, n.id_key,
       CASE WHEN list_contains(e.path, e.node) OR e.node IN (SELECT ordinal FROM single) OR n.class = 'held' THEN 'manual' ELSE 'unsafe' END AS level
FROM ends e JOIN nodes n ON n.ordinal = e.node
WHERE len(e.path) > 1 OR e.node IN (SELECT ordinal FROM single);

CREATE TABLE redirects AS
SELECT d.* FROM duplicate_chains d JOIN nodes n USING (ordinal)
WHERE d.level = 'unsafe' AND n.class IN ('v1', 'legacy') AND takes('CS715', 'unsafe') AND written('CS715');

CREATE TABLE contributions AS
SELECT ordinal, key, code, level FROM cells_shaped WHERE code IS NOT NULL AND takes(code, level) AND written(code)
UNION ALL
SELECT ordinal, key, 'CS505', 'safe' FROM cells_shaped WHERE nth > 1 AND takes('CS505', 'safe') AND written('CS505')
UNION ALL
SELECT ordinal, key, 'CS502', 'safe' FROM link_members
WHERE NOT spelled AND value[1] <> '[' AND value <> 'null' AND takes('CS502', 'safe') AND written('CS502')
UNION ALL
SELECT ordinal, key, 'CS513', 'safe' FROM link_members
WHERE spelled AND value <> 'null' AND takes('CS513', 'safe') AND written('CS513')
UNION ALL
SELECT v.ordinal, v.key, v.code, v.level FROM reference_verdicts v
WHERE NOT v.is_empty AND v.role IS NOT NULL AND takes(v.code, v.level) AND written(v.code)
UNION ALL
-- Repairs of the elements that move with them.
SELECT v.ordinal, v.key, e.code, e.level FROM reference_verdicts v JOIN elements e USING (ordinal, rank)
WHERE e.part = 'references' AND v.role = 'entry' AND e.level IN ('safe', 'unsafe') AND takes(v.code, v.level) AND written(v.code)
UNION ALL
SELECT ordinal, unnest(['derived_from', 'commissioned_by']), 'CS403', 'unsafe' FROM prompts WHERE takes('CS403', 'unsafe') AND written('CS403')
UNION ALL
SELECT ordinal, key, 'CS504', 'unsafe' FROM made_edges
UNION ALL
SELECT ordinal, 'duplicate_of', 'CS715', 'unsafe' FROM redirects;

CREATE TABLE link_values AS
WITH changed AS (SELECT DISTINCT ordinal, key FROM contributions),
final AS (
    SELECT c.ordinal, c.key, list(coalesce(d.value, c.value) ORDER BY c.slot) AS elements
    FROM cells c SEMI JOIN changed t ON t.ordinal = c.ordinal AND t.key = c.key
    LEFT JOIN redirects d ON d.ordinal = c.ordinal AND c.key = 'duplicate_of'
    GROUP BY ALL)
SELECT t.ordinal, t.key,
       CASE WHEN f.elements IS NOT NULL THEN '[' || array_to_string(f.elements, ',') || ']'
            WHEN t.key = 'derived_from' AND (t.ordinal IN (SELECT ordinal FROM prompts)) THEN NULL
            ELSE '[]' END AS value
FROM changed t LEFT JOIN final f USING (ordinal, key);

CREATE TABLE link_edits AS
WITH stored AS (SELECT ordinal, key, value FROM link_members WHERE NOT spelled),
arrays AS (
    SELECT c.ordinal, '/links/' || c.key AS path, v.value, c.code, c.level
    FROM (SELECT DISTINCT * FROM contributions) c
    JOIN link_values v USING (ordinal, key)
    LEFT JOIN stored s USING (ordinal, key)
    WHERE v.value IS DISTINCT FROM s.value
      AND (c.ordinal, c.key) NOT IN (SELECT (ordinal, passive) FROM passive_dropped)),
nulls AS (SELECT ordinal FROM records WHERE f_links = 'null' AND class IN ('v1', 'legacy') AND takes('CS501', 'safe') AND written('CS501'))
SELECT * FROM arrays
UNION ALL
SELECT m.ordinal, '/links/' || m.found_key, NULL, 'CS502', 'safe' FROM link_members m
WHERE NOT spelled AND (value = 'null') AND takes('CS502', 'safe') AND written('CS502')
UNION ALL
SELECT m.ordinal, '/links/' || m.found_key, NULL, 'CS502', 'safe' FROM link_members m
WHERE NOT spelled AND value[1] <> '[' AND value <> 'null' AND (ordinal, key) IN (SELECT (ordinal, passive) FROM passive_dropped)
  AND takes('CS502', 'safe') AND written('CS502')
UNION ALL
SELECT m.ordinal, '/links/' || replace(replace(m.found_key, '~', '~0'), '/', '~1'), NULL, 'CS513', 'safe' FROM link_members m
WHERE spelled AND takes('CS513', 'safe') AND written('CS513')
UNION ALL
SELECT p.ordinal, '/links/' || p.passive, NULL, 'CS504', p.level FROM passive_dropped p
UNION ALL
SELECT ordinal, '/links', NULL, 'CS501', 'safe' FROM nulls WHERE ordinal NOT IN (SELECT ordinal FROM arrays)
UNION ALL
SELECT DISTINCT ordinal, path, value, 'CS501', 'safe' FROM arrays JOIN nulls USING (ordinal);

CREATE TABLE reference_edits AS
WITH moving AS (
    SELECT v.*, takes(v.code, v.level) AND written(v.code) AND v.code <> 'CS407' AND v.level IN ('safe', 'unsafe') AS goes
    FROM reference_verdicts v),
kept AS (
    SELECT m.ordinal, m.rank, list(e.token ORDER BY e.pos) FILTER (e.level = 'manual' OR coalesce(e.is_self, false)) AS rest
    FROM moving m JOIN elements e ON e.part = 'references' AND e.ordinal = m.ordinal AND e.rank = m.rank
    WHERE m.goes AND m.level = 'unsafe' GROUP BY ALL),
outcome AS (
    SELECT m.*, k.rest, m.goes AND k.rest IS NULL AS gone,
           bool_and(m.goes AND k.rest IS NULL) OVER (PARTITION BY m.ordinal) AS all_gone
    FROM moving m LEFT JOIN kept k USING (ordinal, rank))
SELECT o.ordinal, CASE WHEN all_gone THEN '/references' ELSE o.path END AS path,
       CASE WHEN o.rest IS NOT NULL THEN '[' || array_to_string(o.rest, ',') || ']' END AS value, o.code, o.level
FROM outcome o WHERE o.goes;

CREATE TABLE tag_edits AS
WITH wanted AS (
    SELECT r.ordinal, r.tags_found, r.tags_clean, r.tags_json,
           r.tags_clean IS NOT NULL AND r.tags_clean <> r.tags_found AND takes('CS111', 'safe') AND written('CS111') AS clean,
           r.v1 AND r.by_agent AND r.artifact AND r.kind <> 'comment'
               -- Labels that become tags make a claim where there was none.
               AND (r.tags_clean IS NOT NULL OR ((r.labels IS NOT NULL OR r.metadata_tags IS NOT NULL) AND takes('CS112', 'unsafe') AND written('CS112')))
               AND NOT list_contains(coalesce(r.tags_clean, []), r.kind)
               AND takes('CS110', 'safe') AND written('CS110') AS token,
           r.v1 AND r.kind = 'comment' AND r.tags_clean = [] AND takes('CS716', 'safe') AND written('CS716') AS comment,
           (r.labels IS NOT NULL OR r.metadata_tags IS NOT NULL) AND takes('CS112', 'unsafe') AND written('CS112') AS labelled,
           cleaned_tags(list_concat(coalesce(r.labels, []), coalesce(r.metadata_tags, []))) AS labels,
           n.needs, r.kind,
           n.kind AS final_kind,
           list_contains(n.needs, 'CS102') AND r.by_agent AS promoted
    -- Tags that are as they shall be are not taken apart.
    FROM (SELECT * FROM records
          WHERE class IN ('v1', 'legacy')
            AND (NOT tags_are_plain OR f_labels IS NOT NULL OR f_tags IS NOT NULL OR (v1 AND NOT contains(tags_json, '"' || kind || '"'))
                 OR (class = 'legacy' AND takes('CS102', 'unsafe')))) r
    JOIN nodes n USING (ordinal)
    WHERE (r.tags_json IS NULL OR r.tags_json = 'null' OR r.tags_found IS NOT NULL)),
-- A change that rests on a normalisation which is not written is not made.
allowed AS (
    SELECT * REPLACE (token AND len(list_filter(needs, lambda c: NOT written(c))) = 0 AS token,
                      comment AND len(list_filter(needs, lambda c: NOT written(c))) = 0 AS comment)
    FROM wanted WHERE clean OR token OR comment OR labelled OR promoted),
final AS (
    SELECT *, without_doubles(list_concat(
               CASE WHEN clean THEN tags_clean ELSE coalesce(tags_found, []) END,
               CASE WHEN token THEN [kind] ELSE [] END,
               CASE WHEN comment THEN ['comment'] ELSE [] END,
               CASE WHEN labelled THEN labels ELSE [] END,
               CASE WHEN promoted THEN [final_kind] ELSE [] END)) AS tags
    FROM allowed),
codes AS (
    SELECT ordinal, tags, tags_found, unnest(list_filter([
        CASE WHEN token THEN {'code': 'CS110', 'level': 'safe'} END,
        CASE WHEN clean THEN {'code': 'CS111', 'level': 'safe'} END,
        CASE WHEN labelled AND NOT list_has_all(coalesce(tags_clean, []), labels) THEN {'code': 'CS112', 'level': 'unsafe'} END,
        CASE WHEN promoted AND NOT list_contains(coalesce(tags_clean, []), final_kind) THEN {'code': 'CS102', 'level': 'unsafe'} END,
        CASE WHEN comment THEN {'code': 'CS716', 'level': 'safe'} END], lambda c: c IS NOT NULL)) AS c
    FROM final WHERE tags IS DISTINCT FROM coalesce(tags_found, []))
SELECT ordinal, 'tags' AS path, json_text(tags) AS value, c.code AS code, c.level AS level FROM codes;
