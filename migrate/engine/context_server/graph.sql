-- The graph: what each record is on this track, and the typed edges between them.

CREATE TABLE node_facts AS
SELECT r.ordinal, r.id_key, r.class, r.created, r.kind_text, r.version_json, r.status,
       r.v1 OR coalesce(p.promoted, false) AS v1,
       CASE WHEN p.promoted THEN p.kind ELSE r.kind END AS kind,
       r.kind_absent AND NOT coalesce(p.promoted, false) AS kind_absent,
       coalesce(p.promoted, false) AS promoted
FROM records r
LEFT JOIN (SELECT *, takes('CS102', 'unsafe') AND written('CS102') AND len(missing) = 0 AND NOT version_unreadable AND NOT references_left
                        AND len(list_filter(needs, lambda c: NOT written(c))) = 0 AS promoted
           FROM promotions) p USING (ordinal);

CREATE VIEW nodes AS
SELECT *, id_value_of(id_key) AS id_value, own_form(id_key) AS id_form,
       -- Normalisations these values rest on.
       list_filter([CASE WHEN kind_text <> kind THEN 'CS105' END, CASE WHEN version_json <> '1' THEN 'CS103' END,
                    CASE WHEN promoted THEN 'CS102' END], lambda c: c IS NOT NULL) AS needs
FROM node_facts;

-- A passive key and the active edge each of its ids stands for.
CREATE TABLE passive_elements AS
WITH asked AS (
    SELECT c.ordinal, c.key AS passive, a.active, a.one, c.slot, c.value, c.id_key, n.id_key AS own_key, i.ordinal AS target,
           coalesce(c.id_key = n.id_key, false) AS is_self
    FROM cells_referred c
    JOIN passive_links a ON a.passive = c.key
    JOIN nodes n ON n.ordinal = c.ordinal
    LEFT JOIN ids i ON i.id_key = c.id_key),
active AS (
    SELECT ordinal, key, id_key FROM cells_referred WHERE key IN (SELECT active FROM passive_links) AND ordinal IN (SELECT target FROM asked)
    UNION ALL
    SELECT ordinal, key, id_key FROM plain_edges WHERE key IN (SELECT active FROM passive_links) AND ordinal IN (SELECT target FROM asked)),
targets AS (
    SELECT ordinal, class, f_links IS NULL OR f_links = 'null' OR starts_with(f_links, '{') AS takes_links
    FROM records WHERE ordinal IN (SELECT target FROM asked))
SELECT q.*, t.class AS target_class,
       EXISTS (FROM active e WHERE e.ordinal = q.target AND e.key = q.active AND e.id_key = q.own_key) AS stands,
       coalesce(t.takes_links AND t.class IN ('v1', 'legacy') AND NOT q.is_self AND own_form(q.own_key) = getvariable('id_form')
                AND NOT (q.one AND EXISTS (FROM active e WHERE e.ordinal = q.target AND e.key = q.active)), false) AS can_stand
FROM asked q LEFT JOIN targets t ON t.ordinal = q.target;

CREATE TABLE passive_verdicts AS
SELECT m.ordinal, m.key AS passive, m.found_key,
       CASE WHEN count(p.slot) = 0 OR bool_and(p.stands AND NOT p.is_self) THEN 'safe'
            WHEN bool_and((p.stands OR p.can_stand) AND NOT p.is_self) THEN 'unsafe'
            ELSE 'manual' END AS level
FROM link_members m
JOIN passive_links a ON a.passive = m.key
LEFT JOIN passive_elements p ON p.ordinal = m.ordinal AND p.passive = m.key
WHERE m.value <> 'null'
GROUP BY ALL;

-- Active edges this track makes; of two records that claim one child the lower id has it.
CREATE TABLE made_edges AS
WITH wanted AS (
    SELECT p.* FROM passive_elements p JOIN passive_verdicts v USING (ordinal, passive)
    WHERE v.level = 'unsafe' AND NOT p.stands AND takes('CS504', 'unsafe') AND written('CS504')
      AND (SELECT class FROM nodes n WHERE n.ordinal = p.ordinal) <> 'user_message'),
ranked AS (
    SELECT *, row_number() OVER (PARTITION BY target, active ORDER BY length(own_key), own_key) AS claim FROM wanted),
losers AS (SELECT DISTINCT ordinal, passive FROM ranked WHERE one AND claim > 1)
SELECT DISTINCT r.target AS ordinal, r.active AS key, id_value_of(r.own_key) AS value, r.own_key AS id_key, r.ordinal AS asked_by, r.passive
FROM ranked r ANTI JOIN losers USING (ordinal, passive);

CREATE TABLE passive_dropped AS
SELECT v.ordinal, v.passive, v.level FROM passive_verdicts v JOIN nodes n USING (ordinal)
WHERE n.class <> 'user_message' AND written('CS504')
  AND ((v.level = 'safe' AND takes('CS504', 'safe'))
       OR (v.level = 'unsafe' AND (v.ordinal, v.passive) IN (SELECT (asked_by, passive) FROM made_edges)));

CREATE TABLE cells_active AS
SELECT ordinal, key, role, slot, value, same, id_key, code, moved FROM cells_referred
WHERE (ordinal, key) NOT IN (SELECT (ordinal, passive) FROM passive_dropped)
UNION ALL
SELECT ordinal, key, 'entry', 3000000000000 + row_number() OVER (PARTITION BY ordinal, key ORDER BY length(id_key), id_key), value, id_key, id_key, NULL, false
FROM (SELECT DISTINCT ordinal, key, value, id_key FROM made_edges);

-- Every element of every array after the repairs of this track.
CREATE VIEW cells AS
SELECT ordinal, key, role, slot, value, same, id_key FROM cells_active
UNION ALL
SELECT ordinal, key, 'entry', slot, value, id_key, id_key FROM plain_edges;

CREATE TABLE edges AS
SELECT c.ordinal, c.key, c.slot, c.value, c.id_key, i.ordinal AS target, coalesce(i.ordinal = c.ordinal, false) AS is_self
FROM cells c LEFT JOIN ids i ON i.id_key = c.id_key
WHERE c.role = 'entry' AND c.id_key IS NOT NULL;

-- The projects that the other records of a thread name, for v1 records that name none.
CREATE TABLE offered_projects AS
SELECT l.ordinal, min(string_of(r.f_project)) AS project, count(DISTINCT string_of(r.f_project)) AS projects,
       arg_min(r.id_value, length(r.id_key) || r.id_key) FILTER (string_of(r.f_project) IS NOT NULL) AS named_by
FROM records l JOIN records r ON r.thread = l.thread AND r.ordinal <> l.ordinal
WHERE l.v1 AND present(l.f_project) IS NULL AND l.class NOT IN ('held', 'newer')
  AND string_of(r.f_project) IS NOT NULL AND r.class NOT IN ('held', 'newer')
GROUP BY l.ordinal;
