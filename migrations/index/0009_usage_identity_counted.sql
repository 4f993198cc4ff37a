DROP INDEX `usage_by_identity`;--> statement-breakpoint
CREATE INDEX `usage_by_identity` ON `usage` (`timestamp`,`entry_id`,`counted`);