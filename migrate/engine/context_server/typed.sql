-- The facts of a record to what is kept of it: its members as found, and what it is. Row by row, no other row is asked.
-- What is cheap to say again is not kept but in `items.sql`.
SELECT
    $PLACE,
    broken, length, line_hash, id_json, id_key, false AS conflict, false AS copy, class, held, doubled, doubtful, nested, metadata_form,
    -- Kept where it is needed as a whole: to be decoded, or to look for ids deeper in it.
    CASE WHEN metadata_form = 'text' OR nested THEN metadata END AS metadata,
    v1, source, thread, truncated, text_hash, text_length, opening, heading, created_json, updated_json, created, updated,
    tags_json, tags_are_plain, kind, version_integer, kind_inferred,
    -- What speaks for a kind, where nothing stored decides: `source:kind`, several by commas.
    nullif(array_to_string(offers, ','), '') AS kind_evidence,
    vocabulary,
    CASE WHEN status_folded IS NOT NULL THEN
              CASE WHEN status_folds THEN 'fold' WHEN status_means IS NOT NULL THEN 'synonym'
                   WHEN kind_any IS NOT NULL AND in_vocabulary('any', status_folded) THEN 'foreign' ELSE 'unknown' END
         WHEN status_is_value THEN 'value' END AS status_verdict,
    CASE WHEN status_folded IS NULL THEN NULL WHEN status_folds OR mapped_status(kind_any, status_folded) IS NOT NULL THEN 'safe'
         WHEN status_means IS NOT NULL THEN 'unsafe' END AS status_level,
    -- Where it becomes another one.
    CASE WHEN status_folded IS NULL THEN NULL WHEN status_folds THEN status_folded ELSE status_means END AS status_other,
    CASE WHEN report_type_text IS NULL OR is_core_report_type(report_type_text) THEN report_type_text ELSE hyphenated(report_type_text) END AS report_type_folded,
    $KEPT
FROM (
    SELECT *,
           CASE WHEN status_folded IS NOT NULL THEN coalesce(in_vocabulary(vocabulary, status_folded), false) END AS status_folds,
           CASE WHEN status_folded IS NOT NULL
                THEN coalesce(mapped_status(kind_any, status_folded), map_extract_value(getvariable('status_synonyms'), vocabulary || ':' || status_folded))
           END AS status_means
    FROM (
        SELECT *, CASE WHEN status_text IS NOT NULL AND NOT status_is_value THEN fold(status_text) END AS status_folded
        FROM (
            SELECT *,
                   CASE WHEN status_text IS NOT NULL AND vocabulary IS NOT NULL THEN in_vocabulary(vocabulary, status_text) END AS status_is_value,
                   CASE WHEN kind_any IN ('issue', 'upstream_issue') AND starts_with(opening, '#') AND NOT regexp_full_match(opening, '#+[ \t]+#+[ \t]*')
                        THEN nullif(regexp_extract(opening, '^#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$', 1), '') END AS heading
            FROM (
                SELECT *,
                       CASE WHEN class IN ('held', 'newer') THEN NULL WHEN kind_any IS NOT NULL THEN status_family(kind_any)
                            WHEN kind_text IS NULL THEN 'any' END AS vocabulary
                FROM (
                    SELECT *, coalesce(kind, kind_inferred) AS kind_any
                    FROM (
                        SELECT *,
                               CASE WHEN len(offers) = 0 THEN NULL
                                    WHEN len(offers) = 1 OR len(list_distinct(list_transform(offers, lambda o: string_split(o, ':')[2]))) = 1
                                    THEN string_split(offers[1], ':')[2] END AS kind_inferred
                        FROM (
                            SELECT *,
                                   CASE WHEN class = 'legacy' AND kind_absent THEN list_filter([
                                       CASE WHEN len(kind_tags) = 1 THEN 'tags:' || kind_tags[1] END,
                                       CASE WHEN thread = 'issues' AND string_of(f_title) IS NOT NULL THEN 'thread and title:issue' END,
                                       CASE WHEN thread = 'issues' AND (has_parent(f_links) OR regexp_matches(opening, '^Re issue [0-9A-Za-z-]+:'))
                                            THEN 'thread and parent:comment' END,
                                       CASE WHEN thread = 'upstream-issues' AND present($REPOSITORY) IS NOT NULL THEN 'thread and upstream_repo:upstream_issue' END,
                                       CASE WHEN present(f_report_type) IS NOT NULL AND NOT coalesce(is_progress_report(hyphenated(report_type_text)), false)
                                            THEN 'report_type:report' END], lambda o: o IS NOT NULL) END AS offers
                            FROM (
                                SELECT *,
                                       CASE WHEN held THEN 'held'
                                            WHEN version_integer <> '1' THEN 'newer'
                                            WHEN kind = 'user_message' THEN 'user_message'
                                            WHEN kind_absent AND source = 'user' AND present(f_title) IS NULL AND present(f_status) IS NULL
                                                 AND present(f_agent_name) IS NULL AND present(f_report_type) IS NULL AND present(f_task_name) IS NULL
                                                 AND coalesce(len(kind_tags), 0) = 0 THEN 'user_message'
                                            WHEN v1 THEN 'v1'
                                            ELSE 'legacy' END AS class
                                FROM (
                                    SELECT *,
                                           coalesce(version_integer = '1' OR f_schema_version = '"1"', false) AS v1,
                                           id_key IS NULL OR doubled OR metadata_form IN ('other', 'twice') AS held,
                                           kind_named(kind_text) AS kind,
                                           CASE WHEN kind_absent AND tags_json <> '[]'
                                                THEN list_filter(tags_cleaned(tags_json, tags_are_plain), lambda t: is_kind_token(t)) END AS kind_tags,
                                           doubtful_text
                                               -- Numbers where an integer belongs that are written as floats: the JSON functions may have re-spelled them.
                                               OR CASE WHEN f_schema_version <> '1' THEN has_float(f_schema_version) ELSE false END
                                               OR CASE WHEN rare THEN coalesce(has_float($PRIORITY), false) OR coalesce(has_float($ESTIMATE), false) ELSE false END
                                               OR CASE WHEN f_links IS NULL THEN false ELSE has_float(f_links) END
                                               OR CASE WHEN f_references IS NULL THEN false ELSE has_float(f_references) END
                                               -- What cannot be read may be a number that is none.
                                               OR CASE WHEN id_key IS NULL AND id_json IS NOT NULL THEN names_no_number(id_json) ELSE false END
                                               OR CASE WHEN tags_json IS NULL OR tags_are_plain THEN false ELSE names_no_number(tags_json) END
                                               OR CASE WHEN created_json IS NULL OR created IS NOT NULL THEN false ELSE names_no_number(created_json) END
                                               OR CASE WHEN updated_json IS NULL OR updated IS NOT NULL THEN false ELSE names_no_number(updated_json) END AS doubtful
                                    FROM (
                                        SELECT *,
                                               own_key(id_json) AS id_key,
                                               CASE WHEN f_schema_version = '1' THEN '1' ELSE integer_of(exact(f_schema_version)) END AS version_integer,
                                               f_kind IS NULL OR f_kind = 'null' AS kind_absent,
                                               string_of(f_kind) AS kind_text, string_of(f_status) AS status_text, string_of(f_report_type) AS report_type_text,
                                               CASE WHEN updated_json = created_json THEN created ELSE moment(updated_json) END AS updated,
                                               doubled_members
                                                   OR CASE WHEN rare THEN NOT are_distinct(names) ELSE false END
                                                   OR CASE WHEN link_names IS NULL THEN false ELSE NOT are_distinct(link_names) END
                                                   OR CASE WHEN reference_names IS NULL THEN false ELSE NOT are_distinct(reference_names) END AS doubled,
                                               -- More objects than the metadata and its two usual ones: members may stand twice deeper down.
                                               coalesce(strlen(metadata) - strlen(replace(metadata, '{', ''))
                                                        > 1 + coalesce(starts_with(f_links, '{'), false)::INT + coalesce(starts_with(f_references, '{'), false)::INT, false) AS nested,
                                               CASE WHEN regexp_full_match(tags_json, '\["[a-z0-9:._/+-]+"(,"[a-z0-9:._/+-]+")*\]')
                                                    THEN several_tags IS NULL OR are_distinct(several_tags) ELSE false END AS tags_are_plain
                                        FROM (
                                            -- Other members than the common ones, or one of these twice.
                                            SELECT *, coalesce(len(names) > $COUNTED, false) AS rare, moment(created_json) AS created,
                                                   CASE WHEN member_bound(f_links) > 1 THEN json_keys(f_links) END AS link_names,
                                                   CASE WHEN member_bound(f_references) > 1 THEN json_keys(f_references) END AS reference_names,
                                                   CASE WHEN contains(tags_json, ',') THEN string_split(tags_json[3:-3], '","') END AS several_tags
                                            FROM (
                                                SELECT *, $EXTRACT
                                                FROM (SELECT *, json_extract(metadata, $PATHS)::VARCHAR[] AS f, json_keys(metadata) AS names FROM facts)))))))))))))
