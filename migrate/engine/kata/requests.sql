-- Requests to teammates: every `notify.` key, whom it names, and the key that the inbox looks for.
CREATE TABLE requests AS
WITH pairs AS (
    SELECT ordinal, unnest(list_zip(json_keys(metadata), json_extract(metadata, '$.*')::VARCHAR[])) AS pair
    FROM entries WHERE has_requests AND broken IS NULL AND class <> 'held'),
keys AS (SELECT ordinal, pair[1] AS key, pair[2] AS value FROM pairs WHERE starts_with(pair[1], 'notify.')),
opened AS (
    SELECT *, key[8:] AS name, CASE WHEN rtrim(key[8:], '=') = '' THEN '' ELSE try(decode(bytes_of(key[8:]))) END AS recipient FROM keys),
meant AS (
    SELECT *, recipient IS NULL AS is_raw, request_trim(coalesce(recipient, name)) AS handle FROM opened),
canonical AS (
    SELECT *, CASE WHEN handle <> '' AND NOT has_lone_surrogate(handle) THEN request_key(handle) END AS wanted, is_recipient(handle) AS is_possible FROM meant),
rivals AS (
    SELECT *, count(*) OVER (PARTITION BY ordinal, coalesce(wanted, key)) AS claims FROM canonical)
SELECT ordinal, key, value, handle, wanted, is_raw, is_possible, wanted IS DISTINCT FROM key AS is_odd,
       claims > 1 AS is_contested,
       CASE WHEN wanted IS NULL OR NOT is_possible OR claims > 1 THEN 'manual' WHEN is_raw THEN 'unsafe' ELSE 'safe' END AS level
FROM rivals;
