import { defineConfig } from "drizzle-kit";

/** `npm run db:generate` writes a migration for what changed in the schema; the search database has none of its own tables here. */
export default defineConfig({
  dialect: "sqlite",
  schema: "./src/db/schema.ts",
  out: "./migrations/index",
});
