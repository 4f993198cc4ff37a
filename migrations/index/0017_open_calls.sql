-- Ids repeat, and thousands of calls of one id may wait for a result: the last message that makes one of them is found
-- without a look at the others, for a result that names its tool and for one that does not.
DROP INDEX `tool_calls_open`;--> statement-breakpoint
CREATE INDEX `tool_calls_open` ON `tool_calls` (`file_id`,`call_id`,`name`,`call_key`) WHERE result_key IS NULL;--> statement-breakpoint
CREATE INDEX `tool_calls_open_of_any_tool` ON `tool_calls` (`file_id`,`call_id`,`call_key`) WHERE result_key IS NULL;
