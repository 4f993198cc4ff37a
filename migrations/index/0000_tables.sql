CREATE TABLE `entries` (
	`key` integer PRIMARY KEY NOT NULL,
	`file_id` integer NOT NULL,
	`line` integer NOT NULL,
	`offset` integer NOT NULL,
	`length` integer NOT NULL,
	`entry_id` text,
	`parent_id` text,
	`parent_key` integer,
	`type` text NOT NULL,
	`role` text,
	`timestamp` integer,
	`provider` text,
	`model` text,
	`tool_name` text,
	`is_error` integer DEFAULT 0 NOT NULL,
	`has_image` integer DEFAULT 0 NOT NULL,
	`custom_type` text,
	`target_id` text,
	`preview` text NOT NULL,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `entries_by_id` ON `entries` (`file_id`,`entry_id`);--> statement-breakpoint
CREATE INDEX `entries_by_parent` ON `entries` (`parent_key`);--> statement-breakpoint
CREATE INDEX `entries_turning` ON `entries` (`file_id`) WHERE type IN ('compaction', 'thinking_level_change', 'model_change');--> statement-breakpoint
CREATE TABLE `files` (
	`id` integer PRIMARY KEY NOT NULL,
	`path` text NOT NULL,
	`real_path` text NOT NULL,
	`device` real NOT NULL,
	`inode` real NOT NULL,
	`size` integer NOT NULL,
	`mtime_ms` real NOT NULL,
	`ctime_ms` real NOT NULL,
	`settled` integer DEFAULT 0 NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`offset` integer DEFAULT 0 NOT NULL,
	`provisional_length` integer DEFAULT 0 NOT NULL,
	`lines` integer DEFAULT 0 NOT NULL,
	`head_fingerprint` integer DEFAULT 0 NOT NULL,
	`tail_fingerprint` integer DEFAULT 0 NOT NULL,
	`whole_fingerprint` integer DEFAULT 0 NOT NULL,
	`generation` integer DEFAULT 1 NOT NULL,
	`malformed_lines` integer DEFAULT 0 NOT NULL,
	`indexed_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `files_by_real_path` ON `files` (`real_path`);--> statement-breakpoint
CREATE INDEX `files_by_path` ON `files` (`path`);--> statement-breakpoint
CREATE TABLE `labels` (
	`file_id` integer NOT NULL,
	`target_id` text NOT NULL,
	`label` text NOT NULL,
	`label_key` integer NOT NULL,
	`timestamp` integer,
	PRIMARY KEY(`file_id`, `target_id`),
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `malformed_lines` (
	`file_id` integer NOT NULL,
	`line` integer NOT NULL,
	`offset` integer NOT NULL,
	`length` integer NOT NULL,
	PRIMARY KEY(`file_id`, `line`),
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `messages` (
	`entry_key` integer PRIMARY KEY NOT NULL,
	`role` text NOT NULL,
	`text` text NOT NULL,
	FOREIGN KEY (`entry_key`) REFERENCES `entries`(`key`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `meta` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `removed_keys` (
	`seq` integer PRIMARY KEY NOT NULL,
	`first_key` integer NOT NULL,
	`last_key` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`file_id` integer PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`cwd` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer,
	`modified_at` integer NOT NULL,
	`last_activity_at` integer,
	`name` text,
	`title` text NOT NULL,
	`first_message_key` integer,
	`message_count` integer DEFAULT 0 NOT NULL,
	`entry_count` integer DEFAULT 0 NOT NULL,
	`branch_count` integer DEFAULT 0 NOT NULL,
	`leaf_key` integer,
	`leaf_id` text,
	`walk_by_text` integer DEFAULT 0 NOT NULL,
	`irregular` integer DEFAULT 0 NOT NULL,
	`parent_session` text,
	`origin` text NOT NULL,
	`last_provider` text,
	`last_model` text,
	`models` text DEFAULT '[]' NOT NULL,
	`input` integer DEFAULT 0 NOT NULL,
	`output` integer DEFAULT 0 NOT NULL,
	`cache_read` integer DEFAULT 0 NOT NULL,
	`cache_write` integer DEFAULT 0 NOT NULL,
	`total_tokens` integer DEFAULT 0 NOT NULL,
	`cost` real DEFAULT 0 NOT NULL,
	`requests` integer DEFAULT 0 NOT NULL,
	`inherited_input` integer DEFAULT 0 NOT NULL,
	`inherited_output` integer DEFAULT 0 NOT NULL,
	`inherited_cache_read` integer DEFAULT 0 NOT NULL,
	`inherited_cache_write` integer DEFAULT 0 NOT NULL,
	`inherited_total_tokens` integer DEFAULT 0 NOT NULL,
	`inherited_cost` real DEFAULT 0 NOT NULL,
	`inherited_requests` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `sessions_by_session_id` ON `sessions` (`session_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_modified` ON `sessions` (`modified_at`);--> statement-breakpoint
CREATE INDEX `sessions_by_cwd` ON `sessions` (`cwd`);--> statement-breakpoint
CREATE TABLE `tool_calls` (
	`key` integer PRIMARY KEY NOT NULL,
	`file_id` integer NOT NULL,
	`call_id` text NOT NULL,
	`name` text NOT NULL,
	`path` text,
	`call_key` integer NOT NULL,
	`result_key` integer,
	`is_error` integer,
	`duration_ms` integer,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `tool_calls_open` ON `tool_calls` (`file_id`,`call_id`) WHERE result_key IS NULL;--> statement-breakpoint
CREATE INDEX `tool_calls_by_file` ON `tool_calls` (`file_id`);--> statement-breakpoint
CREATE TABLE `usage` (
	`entry_key` integer PRIMARY KEY NOT NULL,
	`file_id` integer NOT NULL,
	`entry_id` text,
	`timestamp` integer,
	`source` text NOT NULL,
	`provider` text,
	`model` text,
	`stop_reason` text,
	`input` integer NOT NULL,
	`output` integer NOT NULL,
	`cache_read` integer NOT NULL,
	`cache_write` integer NOT NULL,
	`cache_write_1h` integer NOT NULL,
	`reasoning` integer NOT NULL,
	`total_tokens` integer NOT NULL,
	`cost_input` real NOT NULL,
	`cost_output` real NOT NULL,
	`cost_cache_read` real NOT NULL,
	`cost_cache_write` real NOT NULL,
	`cost` real NOT NULL,
	`flawed` integer DEFAULT 0 NOT NULL,
	`counted` integer NOT NULL,
	FOREIGN KEY (`entry_key`) REFERENCES `entries`(`key`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `usage_by_file` ON `usage` (`file_id`);--> statement-breakpoint
CREATE INDEX `usage_by_identity` ON `usage` (`entry_id`,`timestamp`);--> statement-breakpoint
CREATE TABLE `usage_quarters` (
	`file_id` integer NOT NULL,
	`quarter` integer NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`source` text NOT NULL,
	`counted` integer NOT NULL,
	`input` integer DEFAULT 0 NOT NULL,
	`output` integer DEFAULT 0 NOT NULL,
	`cache_read` integer DEFAULT 0 NOT NULL,
	`cache_write` integer DEFAULT 0 NOT NULL,
	`total_tokens` integer DEFAULT 0 NOT NULL,
	`cost` real DEFAULT 0 NOT NULL,
	`requests` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`file_id`, `quarter`, `provider`, `model`, `source`, `counted`),
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
