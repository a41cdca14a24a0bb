-- Links between issues, and the projects that call themselves the inbox.

CREATE TABLE edges AS
WITH links AS (SELECT ordinal AS place, link_type AS key, from_key, to_key FROM entries WHERE kind = 'link' AND broken IS NULL),
named AS (
    SELECT id_key, ordinal, id_value FROM records WHERE record_kind = 'issue' AND id_key IS NOT NULL
    UNION ALL SELECT own_key(number_json), ordinal, id_value FROM records WHERE record_kind = 'issue' AND own_key(number_json) <> id_key),
ends AS (SELECT id_key, min(ordinal) AS ordinal, any_value(id_value) AS id_value FROM named GROUP BY id_key)
SELECT l.place, l.key, f.ordinal AS ordinal, t.ordinal AS target, coalesce(f.ordinal = t.ordinal, false) AS is_self,
       l.from_key, l.to_key, t.id_value AS target_value
FROM links l LEFT JOIN ends f ON f.id_key = l.from_key LEFT JOIN ends t ON t.id_key = l.to_key;

CREATE TABLE inboxes AS
WITH named AS (
    SELECT ordinal, id_value, class, name, string_of(f_role) AS role, coalesce(try_cast(revision_json AS BIGINT), 0) AS revision
    FROM records WHERE record_kind = 'project' AND class <> 'held' AND starts_with(f_role, '"')),
designated AS (SELECT *, row_number() OVER (ORDER BY class = 'project' DESC, revision DESC, ordinal) AS place, count(*) OVER () AS number FROM named WHERE role = 'inbox')
SELECT ordinal, class, role, 'several' AS fault, first_value(id_value) OVER (ORDER BY place) AS kept, first_value(name) OVER (ORDER BY place) AS kept_name,
       first_value(class) OVER (ORDER BY place) = 'project' AND class = 'project' AS can_be, place, number
FROM designated
UNION ALL
SELECT ordinal, class, role, 'spelling', NULL, NULL,
       -- The daemon clears every other designation when it makes one: nothing may hang on that.
       class = 'project' AND (SELECT count(*) FROM designated WHERE class = 'project') = 0
           AND count(*) FILTER (class = 'project') OVER () = 1, 0, 0
FROM named WHERE role <> 'inbox' AND ascii_lower(request_trim(role)) = 'inbox';
