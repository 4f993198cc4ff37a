CREATE SCHEMA "sessiondb_data";
--> statement-breakpoint
CREATE TABLE "sessiondb_data"."authors" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sessiondb_data"."authors_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"role" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"invited_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "sessiondb_data"."devices" (
	"author" integer NOT NULL,
	"id" uuid NOT NULL,
	"label" text NOT NULL,
	"client" text NOT NULL,
	"level" text NOT NULL,
	"first_push_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_push_at" timestamp with time zone DEFAULT now() NOT NULL,
	"waiting" integer DEFAULT 0 NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "devices_author_id_pk" PRIMARY KEY("author","id")
);
--> statement-breakpoint
CREATE TABLE "sessiondb_data"."entry_text" (
	"author" integer NOT NULL,
	"session" bigint NOT NULL,
	"place" bigint NOT NULL,
	"part" integer NOT NULL,
	"entry_id" text NOT NULL,
	"type" text NOT NULL,
	"role" text,
	"tool_name" text,
	"timestamp" bigint,
	"text" text NOT NULL,
	"words" "tsvector" NOT NULL,
	CONSTRAINT "entry_text_author_session_place_part_pk" PRIMARY KEY("author","session","place","part")
);
--> statement-breakpoint
CREATE TABLE "sessiondb_data"."meta" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessiondb_data"."sessions" (
	"author" integer NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "sessiondb_data"."sessions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"device" uuid NOT NULL,
	"file" text NOT NULL,
	"content" text NOT NULL,
	"pushed" bigint DEFAULT 0 NOT NULL,
	"level" text NOT NULL,
	"session_id" text NOT NULL,
	"project" text NOT NULL,
	"created_at" bigint,
	"modified_at" bigint NOT NULL,
	"origin" text NOT NULL,
	"parent_file" text,
	"root_file" text,
	"agent" text,
	"title" text,
	"name" text,
	"message_count" bigint DEFAULT 0 NOT NULL,
	"entry_count" bigint DEFAULT 0 NOT NULL,
	"branch_count" bigint DEFAULT 0 NOT NULL,
	"models" text DEFAULT '[]' NOT NULL,
	"last_model" text,
	CONSTRAINT "sessions_author_id_pk" PRIMARY KEY("author","id")
);
--> statement-breakpoint
CREATE TABLE "sessiondb_data"."tool_stats" (
	"author" integer NOT NULL,
	"session" bigint NOT NULL,
	"tool" text NOT NULL,
	"calls" bigint DEFAULT 0 NOT NULL,
	"answered" bigint DEFAULT 0 NOT NULL,
	"errors" bigint DEFAULT 0 NOT NULL,
	"timed" bigint DEFAULT 0 NOT NULL,
	"duration_ms" bigint DEFAULT 0 NOT NULL,
	"longest_ms" bigint,
	CONSTRAINT "tool_stats_author_session_tool_pk" PRIMARY KEY("author","session","tool")
);
--> statement-breakpoint
CREATE TABLE "sessiondb_data"."usage" (
	"author" integer NOT NULL,
	"session" bigint NOT NULL,
	"place" bigint NOT NULL,
	"entry_id" text NOT NULL,
	"timestamp" bigint,
	"quarter" bigint NOT NULL,
	"source" text NOT NULL,
	"provider" text,
	"model" text,
	"stop_reason" text,
	"thinking_level" text,
	"tool_name" text,
	"agent" text,
	"input" bigint DEFAULT 0 NOT NULL,
	"output" bigint DEFAULT 0 NOT NULL,
	"cache_read" bigint DEFAULT 0 NOT NULL,
	"cache_write" bigint DEFAULT 0 NOT NULL,
	"cache_write_1h" bigint DEFAULT 0 NOT NULL,
	"reasoning" bigint DEFAULT 0 NOT NULL,
	"total_tokens" bigint DEFAULT 0 NOT NULL,
	"cost_input" double precision DEFAULT 0 NOT NULL,
	"cost_output" double precision DEFAULT 0 NOT NULL,
	"cost_cache_read" double precision DEFAULT 0 NOT NULL,
	"cost_cache_write" double precision DEFAULT 0 NOT NULL,
	"cost" double precision DEFAULT 0 NOT NULL,
	"cost_from_provider" double precision,
	"duration_ms" bigint,
	"bill" bigint NOT NULL,
	"stated_tokens" bigint DEFAULT 0 NOT NULL,
	"accounted" smallint DEFAULT 0 NOT NULL,
	"counted" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_author_session_place_pk" PRIMARY KEY("author","session","place")
);
--> statement-breakpoint
CREATE TABLE "sessiondb_data"."usage_quarters" (
	"author" integer NOT NULL,
	"session" bigint NOT NULL,
	"quarter" bigint NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"source" text NOT NULL,
	"counted" smallint DEFAULT 0 NOT NULL,
	"input" bigint DEFAULT 0 NOT NULL,
	"output" bigint DEFAULT 0 NOT NULL,
	"cache_read" bigint DEFAULT 0 NOT NULL,
	"cache_write" bigint DEFAULT 0 NOT NULL,
	"total_tokens" bigint DEFAULT 0 NOT NULL,
	"cost" double precision DEFAULT 0 NOT NULL,
	"requests" bigint DEFAULT 0 NOT NULL,
	"unpriced" bigint DEFAULT 0 NOT NULL,
	"priced_input" bigint DEFAULT 0 NOT NULL,
	"priced_cache" bigint DEFAULT 0 NOT NULL,
	"cost_input" double precision DEFAULT 0 NOT NULL,
	"cost_cache_read" double precision DEFAULT 0 NOT NULL,
	"cost_cache_write" double precision DEFAULT 0 NOT NULL,
	"cost_from_provider" double precision DEFAULT 0 NOT NULL,
	"timed_requests" bigint DEFAULT 0 NOT NULL,
	"timed_output" bigint DEFAULT 0 NOT NULL,
	"duration_ms" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_quarters_author_session_quarter_provider_model_source_counted_pk" PRIMARY KEY("author","session","quarter","provider","model","source","counted")
);
--> statement-breakpoint
ALTER TABLE "sessiondb_data"."devices" ADD CONSTRAINT "devices_author_authors_id_fk" FOREIGN KEY ("author") REFERENCES "sessiondb_data"."authors"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessiondb_data"."sessions" ADD CONSTRAINT "sessions_author_device_devices_author_id_fk" FOREIGN KEY ("author","device") REFERENCES "sessiondb_data"."devices"("author","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "authors_by_role" ON "sessiondb_data"."authors" USING btree ("role");--> statement-breakpoint
CREATE UNIQUE INDEX "authors_by_name" ON "sessiondb_data"."authors" USING btree ("name");--> statement-breakpoint
CREATE INDEX "entry_text_by_word" ON "sessiondb_data"."entry_text" USING gin ("words") WITH (fastupdate=false);--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_by_file" ON "sessiondb_data"."sessions" USING btree ("device","file","author");--> statement-breakpoint
CREATE INDEX "sessions_by_modified" ON "sessiondb_data"."sessions" USING btree ("modified_at");--> statement-breakpoint
CREATE INDEX "sessions_by_session_id" ON "sessiondb_data"."sessions" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "usage_by_bill" ON "sessiondb_data"."usage" USING btree ("bill","stated_tokens");--> statement-breakpoint
CREATE INDEX "usage_by_quarter" ON "sessiondb_data"."usage" USING btree ("author","session","quarter");--> statement-breakpoint
CREATE INDEX "usage_quarters_by_time" ON "sessiondb_data"."usage_quarters" USING btree ("author","quarter");