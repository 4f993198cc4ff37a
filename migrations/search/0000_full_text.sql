-- The full-text index of all entries. It holds no text of its own (contentless): rowid is `entries.key` of the
-- index, and what is shown of a hit is read from the session file.
CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE VIRTUAL TABLE entry_text USING fts5(
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
--> statement-breakpoint
-- Names like sessionManager, which are one word to the full text, by their parts. A query for a part asks for the
-- names as well. Each name stands here once, however often it was written.
CREATE TABLE compound_names (
  part TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (part, name)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- Entries whose session file could not be read, or had changed, when it was their turn; tried again.
CREATE TABLE missed_keys (
  first_key INTEGER NOT NULL PRIMARY KEY, last_key INTEGER NOT NULL UNIQUE
) STRICT;
