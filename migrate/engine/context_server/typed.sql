-- The facts of a record to its typed fields: as found (`f_…`, JSON text) and as normalised. Row by row, no other row is asked.
SELECT
    $PLACE,
    broken, length, line_hash, id_json, id_key, false AS conflict, false AS copy,
    class, held, doubled, doubtful, nested, metadata_form,
    -- Kept where it is needed as a whole: to be decoded, or to look for ids deeper in it.
    CASE WHEN metadata_form = 'text' OR nested THEN metadata END AS metadata,
    v1, source, thread, truncated, has_text, text_hash, text_length, opening, heading,
    CASE WHEN regexp_matches(opening, '^#[ \t]') THEN heading END AS h1,
    created_json, updated_json, created, CASE WHEN updated_json = created_json THEN created ELSE moment(updated_json) END AS updated,
    tags_json, tags_found, tags_clean,
    kind_text, kind, kind_absent, kind_inferred, kind_any,
    -- What speaks for a kind, where nothing stored decides: `source:kind`, several by commas.
    nullif(concat_ws(',', 'tags:' || by_tags, 'thread and title:' || by_title, 'thread and parent:' || by_parent,
                     'thread and upstream_repo:' || by_repository, 'report_type:' || by_report_type), '') AS kind_evidence,
    version_json, version_integer,
    vocabulary, status_text,
    CASE WHEN status_is_value THEN 'value' WHEN status_folded IS NULL THEN NULL WHEN status_folds THEN 'fold'
         WHEN status_means IS NOT NULL THEN 'synonym' WHEN kind_any IS NOT NULL AND in_vocabulary('any', status_folded) THEN 'foreign'
         ELSE 'unknown' END AS status_verdict,
    CASE WHEN status_folded IS NULL THEN NULL WHEN status_folds OR mapped_status(kind_any, status_folded) IS NOT NULL THEN 'safe'
         WHEN status_means IS NOT NULL THEN 'unsafe' END AS status_level,
    CASE WHEN status_folded IS NULL THEN status_text WHEN status_folds THEN status_folded ELSE coalesce(status_means, status_text) END AS status_becomes,
    CASE WHEN filing_text IS NULL THEN NULL WHEN is_filing(filing_text) THEN 'value'
         WHEN is_filing(fold(filing_text)) THEN 'fold' ELSE 'unknown' END AS filing_verdict,
    CASE WHEN is_filing(fold(filing_text)) THEN fold(filing_text) ELSE filing_text END AS filing,
    CASE WHEN f_priority IS NULL THEN NULL WHEN f_priority BETWEEN '0' AND '4' AND strlen(f_priority) = 1 THEN f_priority
         WHEN priority_integer BETWEEN '0' AND '4' AND strlen(priority_integer) = 1 THEN priority_integer
         WHEN regexp_full_match(f_priority, '"[0-4]"') THEN f_priority[2] END AS priority_safe,
    CASE WHEN starts_with(f_priority, '"') THEN list_position(['none', 'urgent', 'high', 'medium', 'low'], fold(string_of(f_priority))) - 1 END AS priority_word,
    estimate_integer,
    CASE WHEN heading IS NULL OR present(f_title) IS NOT NULL THEN NULL
         WHEN kind_any = 'issue' AND regexp_matches(opening, '^#[ \t]') THEN heading
         WHEN kind_any = 'upstream_issue' THEN heading END AS title_offered,
    upstream_ref_text, CASE WHEN upstream_ref_text IS NOT NULL THEN ascii_lower(ascii_trim(upstream_ref_text)) END AS upstream_ref,
    report_type_text, report_type_folded,
    string_list(f_technologies) AS technologies, string_list(f_recheck_on) AS recheck_on, string_list(f_affected_projects) AS affected_projects,
    string_list(f_labels) AS labels, string_list(f_tags) AS metadata_tags,
    coalesce(source = 'agent', false) AS by_agent,
    coalesce(is_artifact(kind), false) AS artifact,
    $FIELDS
FROM (
    SELECT *,
           CASE WHEN status_folded IS NOT NULL THEN coalesce(in_vocabulary(vocabulary, status_folded), false) END AS status_folds,
           CASE WHEN status_folded IS NOT NULL
                THEN coalesce(mapped_status(kind_any, status_folded), map_extract_value(getvariable('status_synonyms'), vocabulary || ':' || status_folded))
           END AS status_means
    FROM (
        SELECT *, CASE WHEN status_text IS NOT NULL AND vocabulary IS NOT NULL AND NOT status_is_value THEN fold(status_text) END AS status_folded
        FROM (
            SELECT *, CASE WHEN status_text IS NOT NULL AND vocabulary IS NOT NULL THEN in_vocabulary(vocabulary, status_text) END AS status_is_value,
                   CASE WHEN kind_any = 'upstream_issue' AND vocabulary IS NOT NULL THEN string_of(f_filing) END AS filing_text,
                   CASE WHEN kind_any IN ('issue', 'upstream_issue') AND starts_with(opening, '#') AND NOT regexp_full_match(opening, '#+[ \t]+#+[ \t]*')
                        THEN nullif(regexp_extract(opening, '^#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$', 1), '') END AS heading
            FROM (
                SELECT *, CASE WHEN held OR class = 'newer' THEN NULL WHEN kind_any IS NOT NULL THEN status_family(kind_any)
                               WHEN kind_text IS NULL THEN 'any' END AS vocabulary
                FROM (
                    SELECT *, only_one(by_tags, by_title, by_parent, by_repository, by_report_type) AS kind_inferred,
                           coalesce(kind, only_one(by_tags, by_title, by_parent, by_repository, by_report_type)) AS kind_any
                    FROM (
                        SELECT *,
                               CASE WHEN class = 'legacy' AND kind_absent AND len(kind_tags) = 1 THEN kind_tags[1] END AS by_tags,
                               CASE WHEN class = 'legacy' AND kind_absent AND thread = 'issues' AND string_of(f_title) IS NOT NULL THEN 'issue' END AS by_title,
                               CASE WHEN class = 'legacy' AND kind_absent AND thread = 'issues'
                                         AND (has_parent(f_links)
                                              OR regexp_matches(opening, '^Re issue [0-9A-Za-z-]+:')) THEN 'comment' END AS by_parent,
                               CASE WHEN class = 'legacy' AND kind_absent AND thread = 'upstream-issues' AND present(f_upstream_repo) IS NOT NULL
                                    THEN 'upstream_issue' END AS by_repository,
                               CASE WHEN class = 'legacy' AND kind_absent AND present(f_report_type) IS NOT NULL
                                         AND NOT coalesce(is_progress_report(report_type_folded), false)
                                    THEN 'report' END AS by_report_type
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
                                       coalesce(version_integer = '1' OR version_json = '"1"', false) AS v1,
                                       CASE WHEN kind_absent AND len(tags_clean) > 0
                                            THEN list_filter(tags_clean, lambda t: is_kind_token(t)) END AS kind_tags,
                                       id_key IS NULL OR doubled OR metadata_form = 'other' OR metadata_form = 'twice' AS held
                                FROM (
                                    SELECT *,
                                           CASE WHEN version_json = '1' THEN '1' ELSE integer_of(version_json) END AS version_integer,
                                           integer_of(priority_json) AS priority_integer, integer_of(estimate_json) AS estimate_integer,
                                           present(f_kind) IS NULL AS kind_absent,
                                           CASE WHEN kind_text IS NULL THEN NULL
                                                WHEN is_kind_name(kind_text) THEN kind_text
                                                WHEN is_kind_name(fold(kind_text)) THEN fold(kind_text) END AS kind,
                                           CASE WHEN tags_found IS NULL THEN NULL
                                                WHEN tags_are_plain AND (len(tags_found) = 1 OR len(list_distinct(tags_found)) = len(tags_found)) THEN tags_found
                                                ELSE cleaned_tags(tags_found) END AS tags_clean
                                    FROM (
                                        SELECT *,
                                               own_key(id_json) AS id_key,
                                               exact(f_schema_version) AS version_json, exact(f_priority) AS priority_json, exact(f_estimate) AS estimate_json,
                                               string_of(f_kind) AS kind_text, string_of(f_status) AS status_text,
                                               string_of(f_report_type) AS report_type_text,
                                               CASE WHEN f_report_type IS NULL THEN NULL WHEN is_core_report_type(string_of(f_report_type)) THEN string_of(f_report_type)
                                                    ELSE hyphenated(string_of(f_report_type)) END AS report_type_folded,
                                               string_of(f_upstream_ref) AS upstream_ref_text,
                                               CASE WHEN tags_json IS NULL THEN NULL WHEN tags_are_plain THEN string_split(tags_json[3:-3], '","')
                                                    ELSE string_list_of_array(tags_json) END AS tags_found,
                                               moment(created_json) AS created,
                                               -- Numbers where an integer belongs that are written as floats: the JSON functions may have re-spelled them.
                                               doubtful_text OR coalesce((f_schema_version <> '1' AND has_float(f_schema_version)) OR has_float(f_priority)
                                                                         OR has_float(f_estimate) OR has_float(f_links) OR has_float(f_references), false) AS doubtful,
                                               doubled_members
                                               -- As many members as were asked for by name: none stands twice.
                                               OR CASE WHEN metadata IS NULL OR member_bound(metadata) - member_bound(f_links) - member_bound(f_references) = list_count(f)
                                                       THEN false ELSE coalesce(has_doubles(metadata), false) END
                                               OR CASE WHEN member_bound(f_links) > 1 THEN coalesce(has_doubles(f_links), false) ELSE false END
                                               OR CASE WHEN member_bound(f_references) > 1 THEN coalesce(has_doubles(f_references), false) ELSE false END AS doubled,
                                               -- More objects than the metadata and its two usual ones: members may stand twice deeper down.
                                               coalesce(strlen(metadata) - strlen(replace(metadata, '{', ''))
                                                        > 1 + coalesce(starts_with(f_links, '{'), false)::INT + coalesce(starts_with(f_references, '{'), false)::INT, false) AS nested
                                        FROM (
                                            SELECT *, $EXTRACT,
                                                   coalesce(regexp_full_match(tags_json, '\["[a-z0-9:._/+-]+"(,"[a-z0-9:._/+-]+")*\]'), false) AS tags_are_plain
                                            FROM (SELECT *, json_extract(metadata, $PATHS)::VARCHAR[] AS f FROM facts))))))))))))
