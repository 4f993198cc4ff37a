import { defineConfig } from "drizzle-kit";

/** A team's database: `npx drizzle-kit generate --config drizzle.team.config.ts`. Functions and views are written by hand. */
export default defineConfig({
  dialect: "postgresql",
  schema: "./src/team/team-schema.ts",
  out: "./migrations/team",
  schemaFilter: ["sessiondb_data"],
});
