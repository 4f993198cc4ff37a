ALTER TABLE `usage_quarters` ADD `unpriced` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_quarters` ADD `priced_input` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_quarters` ADD `priced_cache` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_quarters` ADD `cost_input` real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_quarters` ADD `cost_cache_read` real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_quarters` ADD `cost_cache_write` real DEFAULT 0 NOT NULL;