CREATE TABLE `key_lots` (
	`first_key` integer PRIMARY KEY NOT NULL,
	`token` integer NOT NULL
) STRICT;
--> statement-breakpoint
-- Of all keys that were handed out before there were lots.
INSERT INTO `key_lots` VALUES (0, random());
