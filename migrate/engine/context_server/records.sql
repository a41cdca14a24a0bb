-- The records of this track: every line that is one, a copy counted once.
SELECT * EXCLUDE (broken, copy, line_hash, length, doubtful, nested, metadata),
       own_form(id_key) AS id_form, id_value_of(id_key) AS id_value,
       CASE WHEN status_verdict = 'fold' AND takes('CS201', 'safe') THEN status_becomes
            WHEN status_verdict = 'synonym' AND takes('CS204', status_level) THEN status_becomes
            ELSE status_text END AS status
FROM $LINES WHERE broken IS NULL AND NOT copy
