import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isMissing, peersDir } from "../helpers/peers.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { project } from "./run-pi.ts";

/** What the compiler says about handing our extension to a pi. */
function complaints(name: string): string {
  const dir = tempDir();
  symlinkSync(join(peersDir, "node_modules"), join(dir, "node_modules"));
  symlinkSync(join(project, "src"), join(dir, "src"));
  writeFileSync(join(dir, "package.json"), '{"type":"module"}');
  const main = join(dir, "main.ts");
  writeFileSync(
    main,
    `import type { ExtensionFactory } from "${name}";
     import extension from "./src/pi/extension.ts";
     export const factory: ExtensionFactory = extension;`,
  );
  const tsconfig = {
    extends: join(project, "tsconfig.json"),
    compilerOptions: {
      rootDir: "/",
      noEmit: true,
      incremental: false,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      preserveSymlinks: true,
      typeRoots: [join(project, "node_modules", "@types")],
      // pi is compiled without it, and its own types do not agree with it.
      exactOptionalPropertyTypes: false,
    },
    include: [main],
  };
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify(tsconfig));
  try {
    execFileSync(process.execPath, [join(project, "node_modules/typescript/bin/tsc"), "-p", dir], {
      encoding: "utf8",
      stdio: "pipe",
    });
    return "";
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}

describe.skipIf(isMissing("piAgentModule", "piSessionManagerModule", "newestPiSessionManagerModule"))(
  "what the extension takes pi for",
  () => {
    test.each(["@mariozechner/pi-coding-agent", "@earendil-works/pi-coding-agent", "pi-1.6"])(
      "agrees with the declarations of %s",
      (name) => {
        expect(complaints(name)).toBe("");
      },
    );
  },
);
