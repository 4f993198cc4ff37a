-- Several elements of an array may stand on one line, none of them an entry.
CREATE TABLE `malformed_by_place` (
	`file_id` integer NOT NULL,
	`line` integer NOT NULL,
	`offset` integer NOT NULL,
	`length` integer NOT NULL,
	PRIMARY KEY(`file_id`, `offset`),
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `malformed_by_place` SELECT `file_id`, `line`, `offset`, `length` FROM `malformed_lines`;--> statement-breakpoint
DROP TABLE `malformed_lines`;--> statement-breakpoint
ALTER TABLE `malformed_by_place` RENAME TO `malformed_lines`;
