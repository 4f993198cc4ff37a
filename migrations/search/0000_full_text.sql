-- The full-text index of all entries. It holds no text of its own (contentless): rowid is `entries.key` of the
-- index, and what is shown of a hit is read from the session file. `identifiers` has the parts of compound names.
CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE VIRTUAL TABLE entry_text USING fts5(
  text, identifiers,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
