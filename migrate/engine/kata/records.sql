-- The records of this track: the lines that hold metadata.
SELECT * EXCLUDE (broken, copy, line_hash, length, doubtful, nested, metadata, meta_key, meta_value, link_type, from_key, to_key),
       id_value_of(id_key) AS id_value, record_kind IN ('issue', 'recurrence') AS plans
FROM $LINES WHERE broken IS NULL AND record_kind IS NOT NULL
