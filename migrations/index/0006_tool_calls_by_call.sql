DROP INDEX `tool_calls_by_file`;--> statement-breakpoint
CREATE INDEX `tool_calls_by_call` ON `tool_calls` (`file_id`,`call_key`,`name`);