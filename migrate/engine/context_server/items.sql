-- All columns of a record: what is kept of it, and what follows from that at once.
SELECT *,
       CASE WHEN status_other IS NULL THEN status_text ELSE status_other END AS status_becomes,
       CASE WHEN f_title IS NOT NULL AND f_title <> 'null' THEN NULL WHEN kind_any = 'issue' THEN h1 WHEN kind_any = 'upstream_issue' THEN heading END AS title_offered,
       CASE WHEN f_filing IS NULL OR filing_text IS NULL THEN NULL WHEN is_filing(filing_text) THEN 'value' WHEN is_filing(fold(filing_text)) THEN 'fold' ELSE 'unknown' END AS filing_verdict,
       CASE WHEN f_filing IS NULL OR filing_text IS NULL THEN NULL WHEN is_filing(fold(filing_text)) THEN fold(filing_text) ELSE filing_text END AS filing,
       CASE WHEN f_priority IS NULL THEN NULL WHEN f_priority BETWEEN '0' AND '4' AND strlen(f_priority) = 1 THEN f_priority
            WHEN priority_integer BETWEEN '0' AND '4' AND strlen(priority_integer) = 1 THEN priority_integer
            WHEN regexp_full_match(f_priority, '"[0-4]"') THEN f_priority[2] END AS priority_safe
FROM (
    SELECT *, string_of(f_kind) AS kind_text, string_of(f_status) AS status_text, exact(f_schema_version) AS version_json,
           coalesce(kind, kind_inferred) AS kind_any, present(f_kind) IS NULL AS kind_absent, text_hash IS NOT NULL AS has_text,
           string_of(f_report_type) AS report_type_text, string_of(f_upstream_ref) AS upstream_ref_text,
           CASE WHEN f_upstream_ref IS NOT NULL THEN ascii_lower(ascii_trim(string_of(f_upstream_ref))) END AS upstream_ref,
           CASE WHEN vocabulary = 'upstream_issue' THEN string_of(f_filing) END AS filing_text,
           CASE WHEN starts_with(f_priority, '"') THEN list_position(['none', 'urgent', 'high', 'medium', 'low'], fold(string_of(f_priority))) - 1 END AS priority_word,
           CASE WHEN regexp_matches(opening, '^#[ \t]') THEN heading END AS h1,
           string_list(f_technologies) AS technologies, string_list(f_recheck_on) AS recheck_on,
           string_list(f_affected_projects) AS affected_projects, string_list(f_labels) AS labels, string_list(f_tags) AS metadata_tags,
           tags_listed(tags_json, tags_are_plain) AS tags_found, tags_cleaned(tags_json, tags_are_plain) AS tags_clean,
           coalesce(source = 'agent', false) AS by_agent, coalesce(is_artifact(kind), false) AS artifact
    FROM (SELECT * EXCLUDE ($GROUPS), $AGAIN FROM $ROWS))
