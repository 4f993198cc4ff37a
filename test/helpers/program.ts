import { join } from "node:path";

/** The command as it is installed: what `npm run build` leaves. */
export const MAIN = join(import.meta.dirname, "../../dist/src/cli/main.js");
