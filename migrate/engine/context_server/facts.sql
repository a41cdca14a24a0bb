-- An item of a source to the facts of its record: what stands beside the metadata, and the metadata as an object.
-- A row of `source` is the exact text of an item in `json`, NULL where DuckDB cannot parse it.
members AS (
    SELECT json,
           json_extract(json, ['$.id', '$.context_id', '$.thread_id', '$.source', '$.metadata', '$.tags', '$.created_at',
                               '$.updated_at', '$.is_text_content_truncated', '$.text_content', '$.text', '$.version',
                               '$.content_type', '$.summary', '$.images'])::VARCHAR[] AS m,
           json_keys(json) AS keys
    FROM source),
texts AS (
    SELECT *, coalesce(m[10], m[11]) AS text_json, m[5] AS stored,
           CASE WHEN m[5][1] = '"' THEN json_extract_string(m[5], '$') END AS inner_text
    FROM members),
opened AS (
    SELECT *,
           CASE WHEN json_valid(inner_text) THEN ltrim(inner_text, ' ' || chr(9) || chr(10) || chr(13))[1] END AS inner_first,
           CASE WHEN json_valid(inner_text) AND inner_text[1] = '"' THEN try(json_extract_string(inner_text, '$')) END AS innermost
    FROM texts),
decoded AS (
    SELECT *,
           coalesce(inner_first = '{', false) AS is_text_object,
           coalesce(inner_first = '"' AND json_valid(innermost) AND ltrim(innermost)[1] IN ('{', '"'), false) AS is_twice_text
    FROM opened),
objects AS (
    SELECT *,
           CASE WHEN stored IS NULL THEN 'absent' WHEN stored = 'null' THEN 'null' WHEN stored[1] = '{' THEN 'object'
                WHEN is_text_object THEN 'text' WHEN is_twice_text THEN 'twice' ELSE 'other' END AS metadata_form,
           CASE WHEN stored[1] = '{' THEN stored WHEN is_text_object THEN json_extract(inner_text, '$')::VARCHAR END AS metadata
    FROM decoded),
facts AS (
    SELECT
        CASE WHEN json IS NULL THEN 'unparsed' WHEN json[1] <> '{' THEN 'no object' END AS broken,
        strlen(json) AS length,
        hash(json) AS line_hash,
        coalesce(m[1], m[2]) AS id_json,
        string_of(m[3]) AS thread,
        string_of(m[4]) AS source,
        m[6] AS tags_json,
        m[7] AS created_json,
        m[8] AS updated_json,
        coalesce(m[9] = 'true', false) AS truncated,
        coalesce(starts_with(text_json, '"'), false) AS has_text,
        CASE WHEN starts_with(text_json, '"') THEN hash(text_json) END AS text_hash,
        CASE WHEN starts_with(text_json, '"') THEN strlen(text_json) END AS text_length,
        -- The first line, kept only where a rule can use it: a heading, or a comment that names its parent.
        CASE WHEN starts_with(text_json, '"#') OR starts_with(text_json, '"Re')
             THEN json_extract_string('"' || regexp_extract(text_json, '^"((?:[^"\\]|\\[^nr])*)', 1) || '"', '$') END AS opening,
        metadata_form,
        metadata,
        -- What is more lenient than RFC 8259 here, or may be: decided by the strict reader for those lines alone.
        coalesce(regexp_matches(json, ',\s*[}\]]')
                 OR names_no_number(metadata)
                 OR (inner_text IS NOT NULL
                     AND regexp_matches(inner_text, ',\s*[}\]]|[:,\[]\s*-?(?i:nan|inf)|\\u[dD][89a-fA-F]'))
                 OR names_no_number(m[1]) OR names_no_number(m[2]) OR names_no_number(m[6]) OR names_no_number(m[7]) OR names_no_number(m[8])
                 OR names_no_number(m[12]) OR names_no_number(m[15])
                 -- Members that are not looked at one by one; a member that stands twice is counted here too.
                 OR CASE WHEN len(keys) > list_count(m) THEN regexp_matches(json, '[:,\[]\s*-?(?i:nan|inf)') END, false) AS doubtful_text,
        CASE WHEN len(keys) > list_count(m) THEN len(list_distinct(keys)) < len(keys) ELSE false END AS doubled_members
    FROM objects)
