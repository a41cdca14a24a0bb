-- A line of an export to the facts of its record: what stands beside the metadata, and the metadata as an object.
-- A row of `source` is the exact text of a line in `json`, NULL where DuckDB cannot parse it.
members AS (
    SELECT json,
           json_extract(json, ['$.kind', '$.data.id', '$.data.uid', '$.data.project_id', '$.data.short_id', '$.data.revision', '$.data.status',
                               '$.data.closed_reason', '$.data.closed_at', '$.data.deleted_at', '$.data.metadata', '$.data.template_metadata',
                               '$.data.name', '$.data.key', '$.data.value', '$.data.from_issue_id', '$.data.from_issue_uid', '$.data.to_issue_id',
                               '$.data.to_issue_uid', '$.data.type'])::VARCHAR[] AS m,
           json_keys(json, ['$', '$.data']) AS keys
    FROM source),
named AS (
    SELECT *, string_of(m[1]) AS kind,
           CASE m[1] WHEN '"issue"' THEN 'issue' WHEN '"project"' THEN 'project' WHEN '"recurrence"' THEN 'recurrence' END AS record_kind
    FROM members),
objects AS (
    SELECT *, CASE record_kind WHEN 'recurrence' THEN m[12] WHEN 'issue' THEN m[11] WHEN 'project' THEN m[11] END AS stored FROM named),
facts AS (
    SELECT
        CASE WHEN json IS NULL THEN 'unparsed' WHEN json[1] <> '{' THEN 'no object' WHEN kind IS NULL THEN 'no kind'
             WHEN coalesce(len(keys[2]), 0) = 0 AND json_type(json, '$.data') IS DISTINCT FROM 'OBJECT' THEN 'no data' END AS broken,
        strlen(json) AS length,
        hash(json) AS line_hash,
        kind,
        record_kind,
        CASE WHEN record_kind IS NOT NULL THEN coalesce(present(m[3]), m[2]) END AS id_json,
        m[2] AS number_json,
        m[4] AS project_json,
        string_of(m[5]) AS short_id,
        m[6] AS revision_json,
        string_of(m[7]) AS status,
        present(m[8]) AS closed_reason_json,
        present(m[9]) AS closed_json,
        present(m[10]) IS NOT NULL AS deleted,
        CASE WHEN record_kind = 'project' THEN string_of(m[13]) END AS name,
        CASE WHEN kind = 'meta' THEN string_of(m[14]) END AS meta_key,
        CASE WHEN kind = 'meta' THEN m[15] END AS meta_value,
        CASE WHEN kind = 'link' THEN string_of(m[20]) END AS link_type,
        CASE WHEN kind = 'link' THEN coalesce(own_key(present(m[17])), own_key(m[16])) END AS from_key,
        CASE WHEN kind = 'link' THEN coalesce(own_key(present(m[19])), own_key(m[18])) END AS to_key,
        CASE WHEN stored IS NULL THEN 'absent' WHEN stored = 'null' THEN 'null' WHEN stored[1] = '{' THEN 'object' ELSE 'other' END AS metadata_form,
        CASE WHEN stored[1] = '{' THEN stored END AS metadata,
        -- What is more lenient than RFC 8259 here, or may be: decided by the strict reader for those lines alone.
        coalesce(regexp_matches(json, ',\s*[}\]]|[:,\[]\s*-?(?i:nan|inf|infinity)\s*[,}\]]'), false) AS doubtful_text,
        coalesce(len(list_distinct(keys[1])) < len(keys[1]) OR (record_kind IS NOT NULL AND len(list_distinct(keys[2])) < len(keys[2])), false)
            AS doubled_members
    FROM objects)
