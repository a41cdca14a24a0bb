-- One row a record, in corpus order: what it is, its typed fields as found (JSON text) and as normalised on this track.

-- Lines that share an id: copies of one another, or a conflict that holds them all.
CREATE TABLE repeated AS
WITH own AS (SELECT rowid AS ordinal, own_key(id_json) AS id_key, line_hash, length FROM lines WHERE broken IS NULL),
     twice AS (SELECT id_key FROM own WHERE id_key IS NOT NULL GROUP BY id_key HAVING count(*) > 1)
SELECT ordinal, id_key,
       min(ordinal) OVER (PARTITION BY id_key) AS first,
       min(line_hash) OVER (PARTITION BY id_key) <> max(line_hash) OVER (PARTITION BY id_key)
           OR min(length) OVER (PARTITION BY id_key) <> max(length) OVER (PARTITION BY id_key) AS conflict
FROM own JOIN twice USING (id_key);

CREATE TABLE records AS
WITH
named AS (
    SELECT l.*, l.rowid AS ordinal, own_key(id_json) AS id_key,
           coalesce(r.conflict, false) AS conflict
    FROM lines l LEFT JOIN repeated r ON r.ordinal = l.rowid
    WHERE l.broken IS NULL AND NOT coalesce(r.ordinal <> r.first AND NOT r.conflict, false)),
typed AS (
    SELECT *,
           conflict OR doubled OR id_key IS NULL OR metadata_form IN ('other', 'twice') AS held,
           exact(f_schema_version) AS version_json,
           integer_of(exact(f_schema_version)) AS version_integer,
           string_of(f_kind) AS kind_text,
           string_of(f_status) AS status_text,
           json_extract_string(tags_json, '$[*]') AS tag_strings,
           json_extract(tags_json, '$[*]')::VARCHAR[] AS tag_tokens
    FROM named),
tagged AS (
    SELECT *,
           coalesce(version_integer = '1' OR version_json = '"1"', false) AS v1,
           CASE WHEN fold(kind_text) IN (SELECT kind FROM kinds) THEN fold(kind_text) END AS kind,
           CASE WHEN tags_json[1] = '[' AND list_bool_and(list_transform(tag_tokens, lambda t: t[1] = '"')) IS NOT FALSE
                THEN tag_strings END AS tags_found
    FROM typed),
cleaned AS (
    SELECT *,
           CASE WHEN tags_json IS NULL OR tags_found IS NULL THEN NULL
                WHEN regexp_full_match(tags_json, '\[("[a-z0-9:._/+-]+"(,|\]))*\]?') AND len(list_distinct(tags_found)) = len(tags_found)
                THEN tags_found
                ELSE cleaned_tags(tags_found) END AS tags_clean
    FROM tagged),
classed AS (
    SELECT *,
           list_filter(tags_clean, lambda t: list_contains(getvariable('kind_tokens'), t)) AS kind_tags,
           kind_text IS NULL AND present(f_kind) IS NULL AS kind_absent
    FROM cleaned),
decided AS (
    SELECT *,
           CASE WHEN held THEN 'held'
                WHEN version_integer IS NOT NULL AND version_integer <> '1' THEN 'newer'
                WHEN kind = 'user_message' THEN 'user_message'
                WHEN kind_absent AND source = 'user' AND present(f_title) IS NULL AND present(f_status) IS NULL
                     AND present(f_agent_name) IS NULL AND present(f_report_type) IS NULL AND present(f_task_name) IS NULL
                     AND coalesce(len(kind_tags), 0) = 0 THEN 'user_message'
                WHEN v1 THEN 'v1'
                ELSE 'legacy' END AS class
    FROM classed),
inferred AS (
    SELECT *,
           CASE WHEN class = 'legacy' AND kind_absent THEN list_filter([
               CASE WHEN len(kind_tags) = 1 THEN {'from': 'tags', 'kind': kind_tags[1]} END,
               CASE WHEN thread = 'issues' AND string_of(f_title) IS NOT NULL THEN {'from': 'thread and title', 'kind': 'issue'} END,
               CASE WHEN thread = 'issues' AND (present(json_extract(f_links, '$.parent')::VARCHAR) IS NOT NULL
                                                OR regexp_matches(opening, '^Re issue [0-9A-Za-z-]+:'))
                    THEN {'from': 'thread and parent', 'kind': 'comment'} END,
               CASE WHEN thread = 'upstream-issues' AND present(f_upstream_repo) IS NOT NULL
                    THEN {'from': 'thread and upstream_repo', 'kind': 'upstream_issue'} END,
               CASE WHEN present(f_report_type) IS NOT NULL
                         AND NOT coalesce(hyphenated(string_of(f_report_type)) IN ('progress', 'status', 'progress-report', 'status-report'), false)
                    THEN {'from': 'report_type', 'kind': 'report'} END
           ], lambda e: e IS NOT NULL) END AS kind_evidence
    FROM decided),
kinded AS (
    SELECT *,
           list_distinct(list_transform(kind_evidence, lambda e: e.kind)) AS kinds_inferred
    FROM inferred),
families AS (
    SELECT *,
           CASE WHEN len(kinds_inferred) = 1 THEN kinds_inferred[1] END AS kind_inferred,
           coalesce(kind, CASE WHEN len(kinds_inferred) = 1 THEN kinds_inferred[1] END) AS kind_any
    FROM kinded),
statuses AS (
    SELECT r.*,
           k.family AS status_family,
           CASE WHEN r.held OR r.class = 'newer' THEN NULL WHEN r.kind_any IS NOT NULL THEN k.family WHEN r.kind_text IS NULL THEN 'any' END AS vocabulary
    FROM families r LEFT JOIN kinds k ON k.kind = r.kind_any),
forms AS (
    SELECT r.*, s.verdict AS status_verdict, s.becomes AS status_becomes, s.level AS status_level,
           fl.verdict AS filing_verdict, fl.becomes AS filing_becomes
    FROM statuses r
    LEFT JOIN status_forms s ON s.vocabulary = r.vocabulary AND s.found = r.status_text AND s.kind IS NOT DISTINCT FROM r.kind_any
    LEFT JOIN filing_forms fl ON r.kind_any = 'upstream_issue' AND NOT r.held AND r.class <> 'newer' AND fl.found = string_of(r.f_filing)),
fields AS (
    SELECT *,
           CASE WHEN opening[1] = '#' AND NOT regexp_full_match(opening, '#+[ \t]+#+[ \t]*')
                THEN nullif(regexp_extract(opening, '^#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$', 1), '') END AS heading,
           integer_of(exact(f_priority)) AS priority_integer,
           integer_of(exact(f_estimate)) AS estimate_integer,
           string_of(f_report_type) AS report_type_text,
           moment(updated_json) AS updated,
           moment(created_json) AS created
    FROM forms),
valued AS (
    SELECT *,
           CASE WHEN opening[1] = '#' AND regexp_matches(opening, '^#[ \t]') THEN heading END AS h1,
           coalesce(CASE WHEN status_verdict = 'fold' OR (status_verdict = 'synonym' AND status_level = 'safe') THEN status_becomes END, status_text) AS status_safe,
           CASE WHEN status_verdict IN ('fold', 'synonym') THEN status_becomes ELSE status_text END AS status_unsafe,
           CASE WHEN is_plain_integer(f_priority) AND priority_integer IN ('0', '1', '2', '3', '4') THEN priority_integer
                WHEN priority_integer IN ('0', '1', '2', '3', '4') THEN priority_integer
                WHEN f_priority IN ('"0"', '"1"', '"2"', '"3"', '"4"') THEN f_priority[2] END AS priority_safe,
           list_position(['none', 'urgent', 'high', 'medium', 'low'], fold(string_of(f_priority))) - 1 AS priority_word,
           CASE WHEN (kind = 'issue' OR kind_inferred = 'issue') AND present(f_title) IS NULL THEN CASE WHEN opening[1] = '#' AND regexp_matches(opening, '^#[ \t]') THEN heading END
                WHEN (kind = 'upstream_issue' OR kind_inferred = 'upstream_issue') AND present(f_title) IS NULL THEN heading END AS title_offered,
           coalesce(filing_becomes, string_of(f_filing)) AS filing,
           string_of(f_upstream_ref) AS upstream_ref_text,
           ascii_lower(ascii_trim(string_of(f_upstream_ref))) AS upstream_ref,
           hyphenated(report_type_text) AS report_type_folded
    FROM fields)
SELECT
    ordinal, file_no, id_json, id_key, own_form(id_key) AS id_form, id_key[2:] AS id_token,
    CASE WHEN id_key[1] = 'h' THEN '"' || id_key[2:] || '"' ELSE id_key[2:] END AS id_value,
    class, held, conflict, doubled, metadata_form, v1, source, thread, truncated, has_text, text_hash, text_length, opening, h1, heading,
    created_json, updated_json, created, updated,
    tags_json, tags_found, tags_clean, kind_tags,
    kind_text, kind, kind_absent, kind_inferred, kind_any, kinds_inferred, kind_evidence,
    version_json, version_integer,
    vocabulary, status_text, status_verdict, status_becomes, status_level, status_safe, status_unsafe,
    CASE WHEN takes('CS204', coalesce(CASE WHEN status_verdict = 'synonym' THEN status_level END, 'unsafe')) THEN status_unsafe ELSE status_safe END AS status,
    filing, filing_verdict, filing_becomes,
    priority_integer, priority_safe, priority_word, estimate_integer, title_offered,
    upstream_ref, upstream_ref_text, report_type_text, report_type_folded,
    string_list(f_technologies) AS technologies, string_list(f_recheck_on) AS recheck_on, string_list(f_affected_projects) AS affected_projects,
    string_list(f_labels) AS labels, string_list(f_tags) AS metadata_tags,
    coalesce(source = 'agent', false) AS by_agent,
    coalesce(kind IN (SELECT kind FROM kinds WHERE artifact), false) AS artifact,
    $FIELDS
FROM valued;
