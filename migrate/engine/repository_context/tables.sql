-- The tables of a run over repository contexts. Paths are relative to the scope, positions count from 0 in reading order.

CREATE TABLE scopes (
    ordinal BIGINT,                 -- the scope, in corpus order
    repository VARCHAR,             -- path in the folder of many; NULL where there is one repository only
    scope VARCHAR,                  -- directory relative to the Git root, '.' for the root
    class VARCHAR,                  -- absent, valid, partial, unsupported-schema, invalid-manifest, unrelated, unreadable
    why VARCHAR,                    -- what makes it unrelated or unreadable, in words
    manifest_there BOOLEAN,         -- anything at .context/manifest.json
    manifest_parsed BOOLEAN,        -- a JSON object in a regular file
    protocol VARCHAR,               -- these three NULL unless they have their type
    schema_version DOUBLE,
    layout VARCHAR,
    schema_version_text VARCHAR,    -- as it is spelled
    manifest_text VARCHAR,          -- the whole manifest; NULL where it is no UTF-8
    manifest_with_protocol VARCHAR, -- the same with a protocol line; NULL where none can be added
    state_headings_only BOOLEAN,    -- these three NULL without a state file
    state_days BIGINT,              -- days since a commit touched the state file; NULL where none did
    state_moved_on BOOLEAN          -- a later commit touched the scope
);

-- The seven files of the standard layout, for every scope.
CREATE TABLE standard_files (
    ordinal BIGINT, position BIGINT, path VARCHAR,
    present BOOLEAN,                -- a regular file
    occupied_by VARCHAR             -- what else has the name: a folder, a symbolic link
);

-- What a missing standard file is created with.
CREATE TABLE templates (path VARCHAR, text VARCHAR);

-- Markdown files below .context, of every scope but absent, unrelated and unreadable ones.
CREATE TABLE documents (
    ordinal BIGINT, position BIGINT, path VARCHAR, bytes BIGINT, lines BIGINT
);

-- Local paths that documents name: kind is link or code. The rows are kept short, there are millions of them.
CREATE TABLE reference_rows (
    ordinal BIGINT, position BIGINT, document_position BIGINT, line BIGINT, kind VARCHAR, target VARCHAR, resolves BOOLEAN
);
CREATE VIEW document_references AS
SELECT r.ordinal, r.position, d.path AS document, r.line, r.kind, r.target, r.resolves
FROM reference_rows r JOIN documents d ON d.ordinal = r.ordinal AND d.position = r.document_position;

-- Existing paths, a JSON array of up to three, that a reference which does not resolve may have meant.
CREATE TABLE nearest_paths (ordinal BIGINT, document VARCHAR, target VARCHAR, paths VARCHAR);

CREATE TABLE found (
    code VARCHAR, wave TINYINT, ordinal BIGINT, file VARCHAR, line BIGINT, level VARCHAR, severity VARCHAR, evidence VARCHAR,
    position BIGINT, mark VARCHAR
);

-- What repairs write: the whole new text of a file, and the old one where there is one.
CREATE TABLE edits (code VARCHAR, ordinal BIGINT, path VARCHAR, old VARCHAR, new VARCHAR);
