DROP INDEX `entries_turning`;--> statement-breakpoint
CREATE INDEX `entries_turning` ON `entries` (`file_id`) WHERE (type = 'compaction' OR type = 'thinking_level_change' OR type = 'model_change');