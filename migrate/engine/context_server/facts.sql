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
           CASE WHEN starts_with(m[5], '"') THEN json_extract_string(m[5], '$') END AS inner_text
    FROM members),
opened AS (
    SELECT *,
           -- The first line, kept only where a rule can use it: a heading, or a comment that names its parent.
           CASE WHEN starts_with(text_json, '"#') OR starts_with(text_json, '"Re') THEN '"' || regexp_extract(text_json, '^"((?:[^"\\]|\\[^nr])*)', 1) || '"' END AS first_line,
           CASE WHEN inner_text IS NULL THEN NULL WHEN json_valid(inner_text) THEN ltrim(inner_text, ' ' || chr(9) || chr(10) || chr(13))[1] END AS inner_first
    FROM texts),
decoded AS (
    SELECT *, coalesce(inner_first = '{', false) AS is_text_object,
           CASE WHEN inner_first = '"' THEN try(json_extract_string(inner_text, '$')) END AS innermost
    FROM opened),
objects AS (
    SELECT *,
           CASE WHEN starts_with(stored, '{') THEN 'object' WHEN stored IS NULL THEN 'absent' WHEN stored = 'null' THEN 'null'
                WHEN is_text_object THEN 'text'
                WHEN innermost IS NOT NULL AND json_valid(innermost) AND ltrim(innermost)[1] IN ('{', '"') THEN 'twice' ELSE 'other' END AS metadata_form,
           CASE WHEN starts_with(stored, '{') THEN stored WHEN is_text_object THEN json_extract(inner_text, '$')::VARCHAR END AS metadata
    FROM decoded),
facts AS (
    SELECT
        CASE WHEN json IS NULL THEN 'unparsed' WHEN NOT starts_with(json, '{') THEN 'no object' END AS broken,
        strlen(json) AS length,
        hash(json) AS line_hash,
        coalesce(m[1], m[2]) AS id_json,
        string_of(m[3]) AS thread,
        string_of(m[4]) AS source,
        m[6] AS tags_json,
        m[7] AS created_json,
        m[8] AS updated_json,
        coalesce(m[9] = 'true', false) AS truncated,
        CASE WHEN starts_with(text_json, '"') THEN hash(text_json) END AS text_hash,
        CASE WHEN starts_with(text_json, '"') THEN strlen(text_json) END AS text_length,
        string_of(first_line) AS opening,
        metadata_form,
        metadata,
        -- What is more lenient than RFC 8259 here, or may be: decided by the strict reader for those lines alone.
        -- A number that is none makes a bad id, bad times and odd tags, which are looked at where these are read.
        coalesce(regexp_matches(json, ',\s*[}\]]') OR names_no_number(metadata) OR names_no_number(m[12]) OR names_no_number(m[15]), false)
            OR CASE WHEN inner_text IS NOT NULL
                    THEN regexp_matches(inner_text, ',\s*[}\]]|[:,\[]\s*-?(?i:nan|inf)|\\u[dD][89a-fA-F]') ELSE false END
            -- Members that are not looked at one by one; a member that stands twice is counted here too.
            OR CASE WHEN len(keys) > list_count(m) THEN regexp_matches(json, '[:,\[]\s*-?(?i:nan|inf)') ELSE false END AS doubtful_text,
        CASE WHEN len(keys) > list_count(m) THEN NOT are_distinct(keys) ELSE false END AS doubled_members
    FROM objects)
