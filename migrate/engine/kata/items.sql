-- All columns of a line are kept.
SELECT * FROM $ROWS
