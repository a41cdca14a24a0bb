-- All lines, whatever they hold.
CREATE VIEW entries AS SELECT * FROM $LINES;
-- The first line of each kind that stands behind one that must come later, and how many there are.
CREATE TABLE misplaced AS
WITH spans AS (
    SELECT kind, rank, min(ordinal) AS first, max(ordinal) AS last FROM entries JOIN main.kinds USING (kind) WHERE broken IS NULL GROUP BY kind, rank),
late AS (SELECT a.kind, min(b.first) AS after FROM spans a JOIN spans b ON b.rank > a.rank AND b.first < a.last GROUP BY a.kind)
SELECT min(e.ordinal) AS ordinal, e.kind, count(*) AS lines FROM entries e JOIN late l USING (kind) WHERE e.broken IS NULL AND e.ordinal > l.after GROUP BY e.kind;
