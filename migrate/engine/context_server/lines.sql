-- Lines to rows: one row an item of the source, in corpus order; rowid is the ordinal. A line DuckDB cannot parse is
-- a row of NULLs. $SOURCE yields one VARCHAR column `json` with the exact text of each item.
INSERT INTO lines BY NAME
WITH
source AS (SELECT json::VARCHAR AS json FROM $SOURCE),
members AS (
    SELECT json,
           json_extract(json, ['$.id', '$.context_id', '$.thread_id', '$.source', '$.metadata', '$.tags', '$.created_at',
                               '$.updated_at', '$.is_text_content_truncated', '$.text_content', '$.text', '$.version'])::VARCHAR[] AS m,
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
fields AS (
    SELECT *,
           json_extract(metadata, $PATHS)::VARCHAR[] AS f,
           json_keys(metadata, ['$', '$.links', '$.references']) AS k
    FROM objects)
SELECT
    $FILE AS file_no,
    CASE WHEN json IS NULL THEN 'unparsed' WHEN json[1] <> '{' THEN 'no object' END AS broken,
    strlen(json) AS length,
    hash(json) AS line_hash,
    coalesce(m[1], m[2]) AS id_json,
    string_of(m[3]) AS thread,
    string_of(m[4]) AS source,
    m[6] AS tags_json,
    m[7] AS created_json,
    m[8] AS updated_json,
    m[12] AS row_version_json,
    coalesce(m[9] = 'true', false) AS truncated,
    coalesce(text_json[1] = '"', false) AS has_text,
    CASE WHEN text_json[1] = '"' THEN hash(text_json) END AS text_hash,
    CASE WHEN text_json[1] = '"' THEN strlen(text_json) END AS text_length,
    -- The first line, kept only where a rule can use it: a heading, or a comment that names its parent.
    CASE WHEN text_json[2] = '#' OR text_json[2:3] = 'Re'
         THEN json_extract_string('"' || regexp_extract(text_json, '^"((?:[^"\\]|\\[^nr])*)', 1) || '"', '$') END AS opening,
    metadata_form,
    metadata,
    -- What is more lenient than RFC 8259 here, or may be: decided by the strict reader for those lines alone.
    coalesce(regexp_matches(json, ',\s*[}\]]')
             OR regexp_matches(inner_text, ',\s*[}\]]')
             OR regexp_matches(metadata, '[:,\[]-?(?i:nan|inf)')
             OR regexp_matches(inner_text, '[:,\[]\s*-?(?i:nan|inf)')
             OR regexp_matches(concat_ws(' ', m[1], m[2], m[7], m[8], m[12]), '(?i)\b(nan|inf)')
             OR regexp_matches(m[6], '[:,\[]-?(?i:nan|inf)')
             OR (NOT list_has_all(getvariable('record_members'), keys) AND regexp_matches(json, '[:,\[]\s*-?(?i:nan|inf)'))
             -- Lone surrogates inside a text that holds metadata.
             OR regexp_matches(inner_text, '\\u[dD][89a-fA-F]')
             -- Numbers where an integer belongs that are written as floats: the JSON functions may have re-spelled them.
             OR regexp_matches(concat_ws(',', f[$VERSION], f[$PRIORITY], f[$ESTIMATE], f[$LINKS], f[$REFERENCES]), '(^|[\[,:])-?[0-9]+[.eE]'), false) AS doubtful,
    coalesce(len(list_distinct(keys)) < len(keys) 
             OR len(list_distinct(k[1])) < len(k[1]) OR len(list_distinct(k[2])) < len(k[2])
             OR len(list_distinct(k[3])) < len(k[3]), false) AS doubled,
    -- More objects than the metadata and its two usual ones: members may be doubled deeper down.
    coalesce(strlen(metadata) - strlen(replace(metadata, '{', ''))
             > 1 + coalesce(f[$LINKS][1] = '{', false)::INT + coalesce(f[$REFERENCES][1] = '{', false)::INT, false) AS nested,
    $FIELDS
FROM fields;
