-- Every status and filing of the corpus, judged once a spelling and not once a record.
CREATE TABLE status_forms AS
WITH found AS (SELECT DISTINCT string_of(f_status) AS found FROM lines WHERE f_status[1] = '"'),
     scopes AS (SELECT kind, family AS vocabulary FROM kinds WHERE family IS NOT NULL UNION ALL SELECT NULL, 'any'),
     judged AS (
        SELECT s.kind, s.vocabulary, f.found, fold(f.found) AS folded,
               EXISTS (FROM statuses v WHERE v.vocabulary = s.vocabulary AND v.status = f.found) AS is_value,
               EXISTS (FROM statuses v WHERE v.vocabulary = s.vocabulary AND v.status = fold(f.found)) AS folds,
               EXISTS (FROM statuses v WHERE v.status = fold(f.found)) AS elsewhere,
               coalesce((SELECT becomes FROM status_map m WHERE m.scope = s.kind AND m.folded = fold(f.found)),
                        (SELECT becomes FROM status_map m WHERE m.scope = 'any' AND m.folded = fold(f.found))) AS mapped,
               (SELECT becomes FROM status_synonyms y WHERE y.vocabulary = s.vocabulary AND y.folded = fold(f.found)) AS synonym
        FROM found f, scopes s)
SELECT kind, vocabulary, found,
       CASE WHEN is_value THEN 'value' WHEN folds THEN 'fold' WHEN mapped IS NOT NULL OR synonym IS NOT NULL THEN 'synonym'
            WHEN kind IS NOT NULL AND elsewhere THEN 'foreign' ELSE 'unknown' END AS verdict,
       CASE WHEN is_value THEN found WHEN folds THEN folded ELSE coalesce(mapped, synonym) END AS becomes,
       CASE WHEN is_value OR folds THEN 'safe' WHEN mapped IS NOT NULL THEN 'safe' WHEN synonym IS NOT NULL THEN 'unsafe' END AS level
FROM judged;

CREATE TABLE filing_forms AS
SELECT found,
       CASE WHEN list_contains(getvariable('filings'), found) THEN 'value'
            WHEN list_contains(getvariable('filings'), fold(found)) THEN 'fold' ELSE 'unknown' END AS verdict,
       CASE WHEN list_contains(getvariable('filings'), fold(found)) THEN fold(found) END AS becomes
FROM (SELECT DISTINCT string_of(f_filing) AS found FROM lines WHERE f_filing[1] = '"');
