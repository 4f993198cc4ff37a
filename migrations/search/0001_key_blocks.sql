-- When the entries of a block of 512 keys (key / 512) were written, in Unix ms: the newest hits of a word that
-- stands everywhere are found in the newest blocks, without a look at all the others. Bounds, not always the
-- tightest: entries that are gone may have been the oldest or newest.
CREATE TABLE key_blocks (
  block INTEGER NOT NULL PRIMARY KEY, oldest INTEGER NOT NULL, newest INTEGER NOT NULL
) STRICT;
