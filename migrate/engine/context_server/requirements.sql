-- What other records must still say for a change to be right, and which records must change together.
CREATE TABLE stated_grounds AS
-- The ground that a rule names itself: the supersedes edge that sets a status.
SELECT f.ordinal, f.code, q.record::VARCHAR AS record, q.path AS path, q.holds::VARCHAR AS holds
FROM (SELECT ordinal, code, unnest(from_json(requires, '[{"record":"JSON","path":"VARCHAR","holds":"JSON"}]')) AS q
      FROM findings WHERE requires IS NOT NULL) f
UNION ALL
-- A passive key goes because the active edge stands on the other record.
SELECT p.ordinal, 'CS504', t.id_value, '/links/' || p.active, id_value_of(p.own_key)
FROM passive_elements p JOIN passive_dropped d USING (ordinal, passive) JOIN nodes t ON t.ordinal = p.target WHERE p.stands
UNION ALL
-- An active edge is made because the passive key asks for it.
SELECT m.ordinal, 'CS504', n.id_value, '/links/' || m.passive, t.id_value
FROM made_edges m JOIN nodes n ON n.ordinal = m.asked_by JOIN nodes t ON t.ordinal = m.ordinal
UNION ALL
-- An id moves because its record is a user message.
SELECT p.ordinal, 'CS403', t.id_value, '/kind', '"user_message"'
FROM prompts p JOIN nodes t ON t.ordinal = p.target WHERE t.kind = 'user_message' AND t.kind_text = 'user_message'
UNION ALL
-- A project is taken over from a record of the same thread.
SELECT ordinal, 'CS107', named_by, '/project', json_text(project) FROM offered_projects WHERE projects = 1 AND named_by IS NOT NULL
UNION ALL
-- Each step of the chain of duplicates.
SELECT c.ordinal, 'CS715', n.id_value, '/links/duplicate_of', t.id_value
FROM (SELECT ordinal, unnest(path[2:]) AS step, unnest(list_append(path[3:], node)) AS next FROM duplicate_chains WHERE level = 'unsafe') c
JOIN nodes n ON n.ordinal = c.step JOIN nodes t ON t.ordinal = c.next;

-- What this plan makes itself cannot be asked of the records as they are: who rests on it changes together with it.
CREATE TABLE made_grounds AS
SELECT s.ordinal, s.code, s.record, s.path, s.holds, n.ordinal AS made_on
FROM made_edges e
JOIN nodes n ON n.ordinal = e.ordinal
JOIN stated_grounds s ON s.path = '/links/' || e.key AND s.record = n.id_value AND s.holds = e.value;

CREATE TABLE requirements AS
-- Where the record spells the id in a way that only this run can read (an id map, a prefix, an object), that spelling too.
SELECT s.ordinal, s.code, s.record, s.path, s.holds, any_value(e.token) AS spelled
FROM stated_grounds s
ANTI JOIN made_grounds m USING (ordinal, code, record, path, holds)
LEFT JOIN nodes n ON starts_with(s.path, '/links/') AND n.id_key = (CASE WHEN starts_with(s.record, '"') THEN 'h' || s.record[2:-2] ELSE 'i' || s.record END)
LEFT JOIN elements e ON e.part = 'links' AND e.ordinal = n.ordinal AND '/links/' || e.key = s.path
     AND e.code IN ('CS503', 'CS603', 'CS605') AND e.repaired = s.holds
GROUP BY ALL;

CREATE TABLE unit_pairs AS
SELECT DISTINCT asked_by AS one, ordinal AS other FROM made_edges
UNION
SELECT m.ordinal, m.made_on FROM made_grounds m SEMI JOIN edits e ON e.ordinal = m.ordinal AND e.code = m.code;
