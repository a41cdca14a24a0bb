-- Planning dates and time zones that the daemon refuses, or takes and cannot place; each with what it becomes.

CREATE TABLE schedules AS
WITH found AS (
    SELECT ordinal, 'scheduled_on' AS key, f_scheduled_on AS found, scheduled_on_verdict AS verdict FROM records
    WHERE scheduled_on_verdict IN ('refused', 'unresolvable', 'mistyped') AND class <> 'held'
    UNION ALL
    SELECT ordinal, 'deadline_on', f_deadline_on, deadline_on_verdict FROM records
    WHERE deadline_on_verdict IN ('refused', 'unresolvable', 'mistyped') AND class <> 'held'),
texts AS (
    SELECT *, CASE WHEN verdict <> 'mistyped' THEN ascii_trim(string_of(found)) WHEN regexp_full_match(found, '[0-9]{8}') THEN found END AS trimmed FROM found),
spelled AS (
    SELECT *, CASE WHEN regexp_full_match(trimmed, '[0-9]{8}') THEN trimmed[1:4] || '-' || trimmed[5:6] || '-' || trimmed[7:8] ELSE trimmed END AS text FROM texts),
parts AS (
    SELECT *, schedule_part(text, 1) AS y, schedule_part(text, 2) AS middle, schedule_part(text, 3) AS last,
           lpad(schedule_part(text, 2)[2:-2], 2, '0') AS mo, lpad(schedule_part(text, 3), 2, '0') AS d,
           schedule_part(text, 4) AS h, schedule_part(text, 5) AS mi, schedule_part(text, 6) AS s, schedule_part(text, 7) AS fraction, schedule_part(text, 8) AS zone
    FROM spelled),
read AS (
    SELECT *,
           middle[1] = middle[-1] AND is_date(y || '-' || mo || '-' || d)
               AND (h = '' OR (try_cast(h AS INTEGER) BETWEEN 0 AND 23 AND try_cast(mi AS INTEGER) BETWEEN 0 AND 59
                               AND (s = '' OR try_cast(s AS INTEGER) BETWEEN 0 AND 59))) AS is_readable,
           length(middle) = 4 AND middle[1] = '-' AND length(last) = 2 AND text = trimmed AS is_plain_date,
           y || '-' || mo || '-' || d AS day, lpad(h, 2, '0') || ':' || mi AS minute, CASE WHEN s = '' THEN '' ELSE ':' || s END AS second,
           zone NOT IN ('', 'Z', 'z') AS has_offset
    FROM parts),
shifted AS (
    SELECT *,
           CASE WHEN is_readable AND has_offset AND y <> '0000' AND zone[2:3] <= '23' AND (length(zone) = 3 OR right(zone, 2) <= '59')
                THEN try_cast(day || ' ' || minute || CASE WHEN s = '' THEN ':00' ELSE second END AS TIMESTAMP)
                     - to_minutes((CASE WHEN zone[1] = '-' THEN -1 ELSE 1 END)
                                  * (zone[2:3]::BIGINT * 60 + CASE WHEN length(zone) = 3 THEN 0 ELSE right(zone, 2)::BIGINT END)) END AS moment
    FROM read),
becoming AS (
    SELECT *,
           CASE WHEN trimmed IN ('', '-') THEN NULL
                WHEN NOT coalesce(is_readable, false) THEN NULL
                WHEN h = '' THEN day
                WHEN zone = '' THEN day || 'T' || minute || second
                WHEN NOT has_offset THEN day || 'T' || minute || CASE WHEN s = '' THEN ':00' ELSE second || fraction END || 'Z'
                WHEN year(moment) BETWEEN 1 AND 9999 THEN strftime(moment, '%Y-%m-%dT%H:%M:%S') || fraction || 'Z' END AS becomes,
           coalesce(trimmed IN ('', '-'), false) AS cleared
    FROM shifted)
SELECT ordinal, key, found, verdict, CASE verdict WHEN 'unresolvable' THEN 'KT102' ELSE 'KT101' END AS code, becomes,
       CASE WHEN cleared THEN 'unsafe' WHEN becomes IS NULL THEN 'manual'
            WHEN is_plain_date AND NOT (zone = '' AND fraction <> '') THEN 'safe' ELSE 'unsafe' END AS level,
       CASE WHEN becomes IS NULL THEN NULL WHEN h <> '' AND zone <> '' THEN 'instant' WHEN h = '' THEN 'date' ELSE 'local' END AS form
FROM becoming;

CREATE TABLE zones AS
WITH found AS (
    SELECT ordinal, f_timezone AS found, string_of(f_timezone) AS name FROM records
    WHERE f_timezone <> 'null' AND plans AND class <> 'held'),
-- The empty zone is UTC, and Local the zone of the daemon's host.
refused AS (
    SELECT * FROM found WHERE name IS NULL OR (name NOT IN ('', 'Local') AND name NOT IN (SELECT name FROM main.timezones))),
folded AS (SELECT ascii_lower(name) AS folded, any_value(name) AS name FROM main.timezones GROUP BY 1 HAVING count(*) = 1)
SELECT r.ordinal, r.found, r.name, coalesce(t.name, f.name) AS becomes,
       CASE WHEN coalesce(t.name, f.name) IS NULL THEN 'manual' ELSE 'safe' END AS level, c.candidates
FROM refused r
LEFT JOIN main.timezones t ON t.name = ascii_trim(r.name)
LEFT JOIN folded f ON f.folded = ascii_lower(ascii_trim(r.name))
LEFT JOIN main.zone_candidates c ON c.name = r.name;

-- Open issues whose dates and zone cannot be read together, once for each date that is lost by it, with the keys at fault.
CREATE TABLE unresolved AS
WITH suspects AS (
    SELECT ordinal FROM schedules UNION SELECT ordinal FROM zones UNION SELECT ordinal FROM records WHERE class = 'held' AND (doubled OR metadata_form = 'other')),
open AS (
    SELECT ordinal, class, doubled, metadata_form, present(f_scheduled_on) AS f_scheduled_on, present(f_deadline_on) AS f_deadline_on, f_timezone
    FROM records WHERE is_open AND ordinal IN (SELECT ordinal FROM suspects)),
mistyped AS (
    SELECT ordinal, list(key) AS keys, list(settled(code, level)) AS levels, list(code) AS codes FROM (
        SELECT ordinal, key, code, level FROM schedules WHERE verdict = 'mistyped'
        UNION ALL SELECT ordinal, 'timezone', 'KT105', level FROM zones WHERE name IS NULL)
    GROUP BY ordinal),
fields AS (
    SELECT o.ordinal, 'scheduled_on' AS field, f_scheduled_on AS found FROM open o WHERE f_scheduled_on IS NOT NULL AND class <> 'held'
    UNION ALL SELECT o.ordinal, 'deadline_on', f_deadline_on FROM open o WHERE f_deadline_on IS NOT NULL AND class <> 'held'),
judged AS (
    SELECT f.ordinal, f.field, s.code, s.level, s.verdict, m.keys, m.levels, m.codes, z.level AS zone_level,
           -- A zone counts only where a date or a local time wants one.
           z.ordinal IS NOT NULL AND z.name IS NOT NULL
               AND coalesce(s.form, CASE WHEN s.ordinal IS NULL THEN schedule_form(string_of(f.found)) END, 'instant') <> 'instant' AS wants_zone
    FROM fields f
    LEFT JOIN schedules s ON s.ordinal = f.ordinal AND s.key = f.field
    LEFT JOIN mistyped m ON m.ordinal = f.ordinal
    LEFT JOIN zones z ON z.ordinal = f.ordinal),
faults AS (
    SELECT ordinal, field, keys IS NOT NULL AS undecoded,
           list_concat(CASE WHEN code IS NOT NULL AND verdict <> 'mistyped' THEN [field] ELSE [] END, coalesce(keys, []), CASE WHEN wants_zone THEN ['timezone'] ELSE [] END) AS keys,
           list_concat(CASE WHEN code IS NOT NULL AND verdict <> 'mistyped' THEN [settled(code, level)] ELSE [] END, coalesce(levels, []),
                       CASE WHEN wants_zone THEN [settled('KT105', zone_level)] ELSE [] END) AS levels,
           list_concat(CASE WHEN code IS NOT NULL AND verdict <> 'mistyped' THEN [code] ELSE [] END, coalesce(codes, []), CASE WHEN wants_zone THEN ['KT105'] ELSE [] END) AS codes
    FROM judged)
SELECT ordinal, '/' || field AS path, list_sort(list_distinct(keys)) AS keys, least_safe(levels) AS level, list_distinct(codes) AS codes,
       field = 'scheduled_on' OR undecoded AS breaks_lists
FROM faults WHERE len(keys) > 0
UNION ALL
-- No date, but a zone that is no string: nothing of the three can be read.
SELECT m.ordinal, '/timezone', m.keys, least_safe(m.levels), m.codes, true
FROM mistyped m JOIN open o USING (ordinal) WHERE o.f_scheduled_on IS NULL AND o.f_deadline_on IS NULL AND o.class <> 'held'
UNION ALL
SELECT ordinal, '', CASE WHEN doubled THEN ['a member that stands twice'] ELSE ['metadata'] END, 'manual', []::VARCHAR[], true
FROM open WHERE class = 'held' AND (doubled OR metadata_form = 'other');
