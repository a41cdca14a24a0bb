-- The facts of a line to its typed fields: as found (`f_…`, JSON text) and as judged. Row by row, no other row is asked.
SELECT
    $PLACE,
    broken, length, line_hash, kind, record_kind, id_json, id_key, false AS conflict, false AS copy, class, held, is_open, doubled, doubtful, nested,
    metadata_form,
    -- Kept where keys are looked at that no column has.
    CASE WHEN has_requests OR nested THEN metadata END AS metadata,
    has_requests, work_keys, number_json, project_json, short_id, revision_json, status, closed_reason_json, closed_json, deleted, name,
    meta_key, meta_value, link_type, from_key, to_key,
    schedule_verdict(s_scheduled_on) AS scheduled_on_verdict, schedule_verdict(s_deadline_on) AS deadline_on_verdict,
    $FIELDS
FROM (
    SELECT *,
           CASE WHEN record_kind IS NULL THEN NULL
                WHEN held THEN 'held'
                WHEN record_kind = 'recurrence' THEN 'recurrence'
                WHEN record_kind = 'project' THEN CASE WHEN deleted THEN 'archived_project' ELSE 'project' END
                WHEN deleted THEN 'deleted_issue'
                WHEN status = 'closed' THEN 'closed_issue'
                ELSE 'open_issue' END AS class,
           coalesce(record_kind = 'issue' AND NOT deleted AND status IS DISTINCT FROM 'closed', false) AS is_open,
           -- A project's metadata has other reserved keys.
           CASE WHEN record_kind IN ('issue', 'recurrence') THEN f_scheduled_on END AS s_scheduled_on,
           CASE WHEN record_kind IN ('issue', 'recurrence') THEN f_deadline_on END AS s_deadline_on,
           CASE WHEN contains(metadata, '"work.') THEN list_filter(json_keys(metadata), lambda k: starts_with(k, 'work.')) END AS work_keys
    FROM (
        SELECT *,
               doubtful_text OR coalesce((f_checklist IS NOT NULL OR f_area IS NOT NULL OR has_requests) AND has_float(metadata), false) AS doubtful,
               id_key IS NULL OR doubled OR metadata_form = 'other' AS held
        FROM (
            SELECT *,
                   own_key(id_json) AS id_key,
                   coalesce(record_kind <> 'project' AND contains(metadata, '"notify.'), false) AS has_requests,
                   doubled_members OR coalesce(has_doubles(metadata), false) AS doubled,
                   -- More objects than the metadata itself: members may stand twice deeper down.
                   coalesce(contains(metadata[2:], '{'), false) AS nested,
                   $EXTRACT
            FROM (SELECT *, json_extract(metadata, $PATHS)::VARCHAR[] AS f FROM facts))))
