import { defineConfig } from "drizzle-kit";

/** `npm run db:generate` writes the migration for what changed in the schema. The SQL of the search database is written by hand. */
export default defineConfig({
  dialect: "sqlite",
  schema: "./src/store/schema.ts",
  out: "./migrations/index",
});
