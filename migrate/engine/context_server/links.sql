-- Links and legacy references, spread to one row an element, placed by type, and put together again.

-- Every id a record answers to: the first record of a conflict stands for all of them.
CREATE TABLE ids AS
SELECT id_key, min(ordinal) AS ordinal FROM records WHERE id_key IS NOT NULL GROUP BY id_key;

-- One row a link key that the schema or a known system has; `plain` are arrays with nothing to repair, whose elements
-- are read by their form alone.
CREATE TABLE link_members AS
WITH spread AS (
    SELECT ordinal, generate_subscripts(keys, 1) AS rank, unnest(keys) AS found_key, unnest(json_extract(f_links, '$.*')::VARCHAR[]) AS value
    FROM (SELECT ordinal, f_links, json_keys(f_links) AS keys FROM records
          WHERE starts_with(f_links, '{') AND f_links <> '{}' AND class NOT IN ('held', 'newer'))),
forms AS (
    SELECT found_key,
           coalesce(e.key, s.key, CASE WHEN regexp_full_match(found_key, getvariable('external_key')) THEN found_key END) AS key,
           coalesce(e.role, s.role, CASE WHEN regexp_full_match(found_key, getvariable('external_key')) THEN 'external' END) AS role,
           e.key IS NULL AND s.key IS NOT NULL AS spelled,
           coalesce(e.key, s.key) IN (SELECT passive FROM passive_links) AS passive
    FROM (SELECT DISTINCT found_key FROM spread) k
    LEFT JOIN link_keys e ON e.key = found_key
    LEFT JOIN link_keys s ON s.registered AND s.key = snake(found_key)),
known AS (SELECT * FROM spread JOIN forms USING (found_key) WHERE key IS NOT NULL)
SELECT ordinal, found_key, key, role, spelled, rank + CASE WHEN spelled THEN 100000 ELSE 0 END AS rank, value,
       NOT spelled AND NOT coalesce(passive, false) AND has_plain_elements(role, value)
           AND (NOT contains(value, ',') OR len(list_distinct(plain_elements(value))) = len(plain_elements(value))) AS plain
FROM known;

-- The sub-keys of `references`; a bare list is the ids themselves (sub_key NULL).
CREATE TABLE reference_members AS
WITH spread AS (
    SELECT ordinal, v1, generate_subscripts(json_keys(f_references), 1) AS rank, unnest(json_keys(f_references)) AS sub_key,
           unnest(json_extract(f_references, '$.*')::VARCHAR[]) AS value
    FROM records WHERE f_references[1] = '{' AND f_references <> '{}' AND NOT held AND class <> 'newer'
    UNION ALL
    SELECT ordinal, v1, 1, NULL, f_references FROM records
    WHERE f_references IS NOT NULL AND (f_references[1] <> '{' OR f_references = '{}') AND NOT held AND class <> 'newer'),
roles AS (
    SELECT *, is_empty_value(value) AS is_empty,
           CASE WHEN sub_key = 'context_ids' OR (sub_key IS NULL AND value[1] = '[') THEN 'entry'
                WHEN sub_key = 'urls' THEN 'url' WHEN sub_key = 'git_commits' THEN 'commit'
                WHEN regexp_full_match(sub_key, getvariable('external_key')) THEN 'external' END AS role
    FROM spread)
SELECT ordinal, v1, rank, sub_key, value, is_empty, role,
       '/references' || coalesce('/' || replace(replace(sub_key, '~', '~0'), '/', '~1'), '') AS path,
       CASE WHEN is_empty AND (sub_key IS NULL OR sub_key = 'context_ids') THEN 'CS401'
            WHEN is_empty THEN 'CS404'
            WHEN role IS NULL THEN 'CS407'
            WHEN role = 'entry' AND sub_key IS NOT NULL AND value[1] = '[' THEN 'CS401'
            WHEN role = 'entry' THEN 'CS402'
            ELSE 'CS404' END AS code,
       CASE role WHEN 'entry' THEN 'derived_from' WHEN 'url' THEN 'urls' WHEN 'commit' THEN 'git_commits' ELSE sub_key END AS key,
       -- Several ids in one string are for a person to split.
       NOT is_empty AND role = 'entry' AND value[1] = '"' AND regexp_matches(string_of(value), '[,;\s]') AS crowded
FROM roles;

-- Records whose links are repaired or added to: all their arrays are spread to elements. Those of the others are edges as they are.
CREATE TABLE touched AS
SELECT ordinal FROM link_members WHERE NOT plain
UNION SELECT ordinal FROM reference_members
UNION SELECT ordinal FROM link_members JOIN records USING (ordinal) WHERE key = 'derived_from' AND class = 'legacy';

-- Edges of the records whose links stay as they are.
CREATE TABLE plain_edges AS
SELECT ordinal, key, rank * 1000000 + generate_subscripts(tokens, 1) AS slot, unnest(tokens) AS value, plain_key(unnest(tokens)) AS id_key
FROM (SELECT ordinal, key, rank, plain_elements(value) AS tokens FROM link_members ANTI JOIN touched USING (ordinal) WHERE role = 'entry');

CREATE TABLE elements AS
WITH found AS (
    SELECT ordinal, 'links' AS part, key, role, rank, generate_subscripts(tokens, 1) AS pos, unnest(tokens) AS token, false AS one
    FROM (SELECT *, json_extract(value, '$[*]')::VARCHAR[] AS tokens FROM link_members SEMI JOIN touched USING (ordinal) WHERE value[1] = '[')
    UNION ALL
    SELECT ordinal, 'links', key, role, rank, 1, value, true
    FROM link_members SEMI JOIN touched USING (ordinal) WHERE value[1] <> '[' AND value <> 'null'
    UNION ALL
    SELECT ordinal, 'references', key, role, rank, generate_subscripts(tokens, 1), unnest(tokens), false
    FROM (SELECT *, CASE WHEN has_plain_elements(role, value) THEN plain_elements(value) ELSE json_extract(value, '$[*]')::VARCHAR[] END AS tokens
          FROM reference_members WHERE value[1] = '[' AND role IS NOT NULL AND NOT is_empty)
    UNION ALL
    SELECT ordinal, 'references', key, role, rank, 1, value, true
    FROM reference_members WHERE value[1] <> '[' AND role = 'entry' AND NOT is_empty AND NOT crowded),
bare AS (
    SELECT *, exact(token) AS number,
           CASE WHEN starts_with(token, '{') AND json_keys(token) = ['id'] THEN exact(json_extract(token, '$.id')::VARCHAR) END AS inner_id
    FROM found),
words AS (
    SELECT *, coalesce(inner_id, number) AS t, string_of(coalesce(inner_id, number)) AS s
    FROM bare),
integers AS (
    SELECT *, CASE WHEN role = 'entry' AND s IS NULL AND regexp_full_match(t, '[1-9][0-9]*') THEN t
                   WHEN role = 'entry' AND s IS NULL AND is_number(t) THEN nullif(integer_of(t), '0') END AS whole
    FROM words),
forms AS (
    SELECT *,
           CASE
           WHEN role = 'entry' AND has_plain_elements('entry', '[' || token || ']') THEN 'ok'
           WHEN role <> 'entry' THEN
               CASE role WHEN 'url' THEN CASE WHEN is_url(s) THEN 'ok' ELSE 'CS509 manual' END
                         WHEN 'external' THEN CASE WHEN s IS NOT NULL AND inner_id IS NULL THEN 'ok' ELSE 'CS509 manual' END
                         ELSE CASE WHEN s IS NULL OR inner_id IS NOT NULL THEN 'CS510 manual' WHEN is_commit(s) THEN 'ok'
                                   WHEN is_commit(ascii_lower(s)) THEN 'CS510 safe' ELSE 'CS510 manual' END END
           WHEN token[1] = '{' AND inner_id IS NULL THEN 'CS503 manual'
           WHEN getvariable('id_form') = 'integer' THEN
               CASE WHEN whole = t AND whole[1] <> '-' THEN 'ok'
                    WHEN whole IS NOT NULL AND whole[1] <> '-' THEN 'CS601 safe'
                    WHEN s IS NULL THEN 'CS606 manual'
                    WHEN is_decimal(s) THEN 'CS601 safe'
                    WHEN hex_of(s) IS NOT NULL THEN 'CS603 manual'
                    ELSE 'CS606 manual' END
           ELSE
               CASE WHEN whole[1] <> '-' THEN
                        CASE WHEN whole = t AND EXISTS (FROM id_map m WHERE m.old = whole) THEN 'CS603 safe' ELSE 'CS603 manual' END
                    WHEN s IS NULL THEN 'CS606 manual'
                    WHEN hex_of(s) = s THEN 'ok'
                    WHEN hex_of(s) IS NOT NULL THEN 'CS602 safe'
                    WHEN regexp_full_match(s, '[0-9a-fA-F]{8,31}') THEN 'CS605 prefix'
                    WHEN is_decimal(s) THEN 'CS603 manual'
                    ELSE 'CS606 manual' END
           END AS form
    FROM integers),
prefixes AS (
    SELECT DISTINCT ascii_lower(s) AS prefix FROM forms WHERE form = 'CS605 prefix'),
hexes AS (SELECT id_key[2:] AS hex FROM ids WHERE id_key[1] = 'h'),
unique_prefixes AS (
    -- The first id from the prefix on and the last one below its end are the same: exactly one record starts with it.
    SELECT p.prefix, low.hex
    FROM prefixes p
    ASOF JOIN hexes low ON low.hex >= p.prefix
    ASOF JOIN hexes high ON high.hex <= p.prefix || 'g'
    WHERE low.hex = high.hex AND starts_with(low.hex, p.prefix)),
placed AS (
    SELECT f.*,
           CASE WHEN form = 'CS605 prefix' THEN CASE WHEN u.hex IS NULL THEN 'CS605 manual' ELSE 'CS605 unsafe' END ELSE form END AS verdict,
           CASE WHEN role <> 'entry' OR form LIKE '% manual' THEN NULL
                WHEN getvariable('id_form') = 'integer' THEN 'i' || coalesce(whole, s)
                WHEN form = 'CS603 safe' THEN 'h' || (SELECT m.new FROM id_map m WHERE m.old = whole)
                WHEN form = 'CS605 prefix' THEN 'h' || u.hex
                ELSE 'h' || hex_of(s) END AS id_key
    FROM forms f LEFT JOIN unique_prefixes u ON form = 'CS605 prefix' AND u.prefix = ascii_lower(s)),
levelled AS (
    SELECT ordinal, part, key, role, rank, pos, token, one, s, id_key,
           CASE WHEN inner_id IS NOT NULL AND verdict NOT LIKE '% manual' THEN 'CS503'
                WHEN verdict = 'ok' THEN NULL ELSE verdict[1:5] END AS code,
           CASE WHEN verdict = 'ok' THEN CASE WHEN inner_id IS NOT NULL THEN 'safe' ELSE 'ok' END ELSE verdict[7:] END AS level,
           CASE WHEN id_key[1] = 'i' THEN id_key[2:] WHEN id_key[1] = 'h' THEN '"' || id_key[2:] || '"'
                WHEN role = 'commit' AND verdict = 'CS510 safe' THEN json_text(ascii_lower(s)) ELSE token END AS repaired
    FROM placed)
SELECT l.*, r.id_key = l.id_key AS is_self, r.class AS own_class
FROM levelled l JOIN records r USING (ordinal);

-- What becomes of each member of `references`, by the best repair of the whole of it.
CREATE TABLE reference_verdicts AS
WITH counted AS (
    SELECT ordinal, rank, count(*) AS n,
           count(*) FILTER (level IN ('ok', 'safe') AND NOT coalesce(is_self, false)) AS certain,
           count(*) FILTER (level = 'unsafe' AND NOT coalesce(is_self, false)) AS likely,
           bool_or(level IN ('safe', 'unsafe') AND role = 'entry' AND NOT written(code)) AS needs_more,
           -- A commit is lower-cased on the way, by CS404 itself.
           bool_and(level IN ('ok', 'safe')) AS every_one
    FROM elements WHERE part = 'references' GROUP BY ALL)
SELECT m.*, coalesce(c.n, 0) AS n, coalesce(c.certain, 0) AS certain, coalesce(c.likely, 0) AS likely,
       CASE WHEN m.code = 'CS407' THEN 'info'
            WHEN r.f_links[1] <> '{' AND r.f_links <> 'null' THEN 'manual'
            WHEN m.is_empty THEN 'safe'
            WHEN m.crowded OR coalesce(c.n, 0) = 0 OR c.needs_more THEN 'manual'
            WHEN m.role <> 'entry' THEN CASE WHEN c.every_one THEN 'safe' ELSE 'manual' END
            WHEN c.certain = c.n THEN 'safe'
            WHEN c.certain + c.likely > 0 THEN 'unsafe'
            ELSE 'manual' END AS level,
       -- Whether its safe and unsafe repairs leave anything of it behind.
       coalesce(NOT m.is_empty AND (m.role IS NULL OR m.crowded OR c.n IS NULL
                OR CASE WHEN m.role = 'entry' THEN c.certain + c.likely < c.n ELSE NOT c.every_one END), false) AS leaves
FROM reference_members m
LEFT JOIN counted c USING (ordinal, rank)
JOIN records r USING (ordinal);

-- Link arrays after the repair of their elements: first place kept, doubles dropped.
CREATE TABLE cells_shaped AS
WITH valued AS (
    SELECT *, level = 'ok' OR (takes(code, level) AND written(code)) AS taken,
           level = 'ok' OR takes(code, level) AS known
    FROM elements WHERE part = 'links'),
same AS (
    SELECT *, CASE WHEN taken THEN coalesce(id_key, repaired) ELSE token END AS same,
           CASE WHEN taken THEN repaired ELSE token END AS value
    FROM valued)
SELECT ordinal, key, role, rank * 1000000 + pos AS slot, value, same, CASE WHEN known THEN id_key END AS id_key,
       CASE WHEN level <> 'ok' THEN code END AS code, level, false AS moved,
       row_number() OVER (PARTITION BY ordinal, key, same ORDER BY rank, pos) AS nth,
       -- Equal only by repairs of this array that are not written.
       row_number() OVER (PARTITION BY ordinal, key, coalesce(CASE WHEN known THEN id_key END, same) ORDER BY rank, pos) AS nth_known,
       list(CASE WHEN known AND NOT taken THEN code END) FILTER (known AND NOT taken) OVER (PARTITION BY ordinal, key) AS needs
FROM same;

-- ... and after the references that move on this track.
CREATE TABLE cells_moved AS
WITH moving AS (
    SELECT e.ordinal, e.key, e.role, 1000000000000 + e.rank * 1000000 + e.pos AS slot, e.repaired AS value,
           coalesce(e.id_key, e.repaired) AS same, e.id_key, v.code AS member_code, v.level AS member_level
    FROM elements e JOIN reference_verdicts v USING (ordinal, rank)
    WHERE e.part = 'references' AND takes(v.code, v.level) AND written(v.code)
      AND e.level IN ('ok', 'safe', 'unsafe') AND NOT coalesce(e.is_self, false)),
fresh AS (
    SELECT * FROM moving m
    WHERE NOT EXISTS (FROM cells_shaped c WHERE c.ordinal = m.ordinal AND c.key = m.key AND c.same = m.same)
    QUALIFY row_number() OVER (PARTITION BY ordinal, key, same ORDER BY slot) = 1)
SELECT ordinal, key, role, slot, value, same, id_key, code, moved FROM cells_shaped WHERE nth = 1
UNION ALL
SELECT ordinal, key, role, slot, value, same, id_key, NULL, true FROM fresh;

-- Ids of user messages among what a record is derived from.
CREATE TABLE prompts AS
SELECT c.ordinal, c.slot, c.value, c.same, c.id_key, t.ordinal AS target
FROM cells_moved c JOIN ids i USING (id_key) JOIN records t ON t.ordinal = i.ordinal JOIN records r ON r.ordinal = c.ordinal
WHERE c.key = 'derived_from' AND t.class = 'user_message' AND (c.moved OR r.class = 'legacy')
  AND c.id_key <> r.id_key;

CREATE TABLE cells_referred AS
SELECT ordinal, key, role, slot, value, same, id_key, code, moved FROM cells_moved
WHERE NOT (takes('CS403', 'unsafe') AND written('CS403') AND key = 'derived_from' AND (ordinal, slot) IN (SELECT (ordinal, slot) FROM prompts))
UNION ALL
SELECT ordinal, 'commissioned_by', 'entry', 2000000000000 + slot % 1000000000000, value, same, id_key, NULL, true
FROM prompts p
WHERE takes('CS403', 'unsafe') AND written('CS403')
  AND NOT EXISTS (FROM cells_moved c WHERE c.ordinal = p.ordinal AND c.key = 'commissioned_by' AND c.same = p.same);

-- Legacy records whose own repairs make them valid schema v1.
CREATE TABLE promotions AS
SELECT r.ordinal, r.kind_any AS kind,
       list_filter([
           CASE WHEN string_of(f_project) IS NULL THEN 'project' END,
           CASE WHEN by_agent AND coalesce(string_of(f_agent_name), CASE WHEN present(f_agent_name) IS NULL THEN string_of(f_agent_type) END) IS NULL THEN 'agent_name' END,
           CASE WHEN k.status_required AND NOT coalesce(in_vocabulary(r.vocabulary, status_becomes), false) THEN 'status' END,
           CASE WHEN kind_any IN ('issue', 'upstream_issue') AND coalesce(string_of(f_title), title_offered) IS NULL THEN 'title' END,
           CASE WHEN kind_any = 'issue' AND coalesce(priority_safe, priority_word::VARCHAR) IS NULL THEN 'priority' END,
           CASE WHEN kind_any = 'issue' AND string_of(f_source_project) IS NULL THEN 'source_project' END,
           CASE WHEN kind_any = 'upstream_issue' AND string_of(f_upstream_repo) IS NULL THEN 'upstream_repo' END,
           CASE WHEN kind_any = 'upstream_issue' AND string_of(f_upstream_component) IS NULL THEN 'upstream_component' END,
           CASE WHEN kind_any = 'upstream_issue' AND NOT coalesce(is_filing(coalesce(filing, fold(string_of(f_filing)))), false) THEN 'filing' END,
           CASE WHEN kind_any = 'upstream_issue' AND (affected_projects IS NULL OR (f_affected_projects[1] = '"' AND is_crowded_text(affected_projects[1]))) THEN 'affected_projects' END,
           CASE WHEN kind_any = 'upstream_issue'
                     AND (NOT coalesce(is_upstream_ref(upstream_ref), present(f_upstream_ref) IS NULL)
                          OR (present(f_upstream_ref) IS NULL AND is_filing_with_item(coalesce(filing, fold(string_of(f_filing))))))
                THEN 'upstream_ref' END,
           CASE WHEN kind_any = 'comment' AND coalesce(p.n, 0) <> 1 THEN 'links.parent' END
       ], lambda m: m IS NOT NULL) AS missing,
       -- Repairs that the promotion rests on.
       list_distinct(list_concat(list_filter([
           CASE WHEN r.kind_text <> r.kind THEN 'CS105' END,
           CASE WHEN k.status_required AND status_verdict = 'fold' THEN 'CS201' WHEN k.status_required AND status_verdict = 'synonym' THEN 'CS204' END,
           CASE WHEN kind_any IN ('issue', 'upstream_issue') AND present(f_title) IS NULL THEN 'CS113' END,
           CASE WHEN kind_any = 'issue' AND NOT coalesce(is_plain_integer(f_priority), false) THEN 'CS209' END,
           CASE WHEN by_agent AND present(f_agent_name) IS NULL THEN 'CS116' END,
           CASE WHEN kind_any = 'upstream_issue' AND f_affected_projects[1] = '"' THEN 'CS301' END,
           CASE WHEN kind_any = 'upstream_issue' AND upstream_ref_text <> upstream_ref THEN 'CS302' END,
           CASE WHEN kind_any = 'upstream_issue' AND filing_verdict = 'fold' THEN 'CS201' END
       ], lambda c: c IS NOT NULL), coalesce(l.codes, []), coalesce(p.codes, []))) AS needs,
       f_schema_version IS NOT NULL AS version_unreadable,
       coalesce(l.leaves, false) AS references_left
FROM records r
JOIN kinds k ON k.kind = r.kind_any
LEFT JOIN (SELECT ordinal, bool_or(leaves OR level = 'manual') AS leaves, list(DISTINCT code) AS codes FROM reference_verdicts GROUP BY ordinal) l ON l.ordinal = r.ordinal
LEFT JOIN (SELECT ordinal, CASE WHEN bool_or(id_key IS NULL AND level = 'manual') THEN 0 ELSE count(DISTINCT coalesce(id_key, token)) END AS n,
                  list_concat(coalesce(list(DISTINCT code) FILTER (code IS NOT NULL), []), CASE WHEN bool_or(one) THEN ['CS502'] ELSE [] END) AS codes
           FROM (SELECT ordinal, id_key, level, token, code, one FROM elements WHERE part = 'links' AND key = 'parent'
                 UNION ALL SELECT ordinal, id_key, 'ok', value, NULL, false FROM plain_edges WHERE key = 'parent') GROUP BY ordinal) p ON p.ordinal = r.ordinal
WHERE r.class = 'legacy';
