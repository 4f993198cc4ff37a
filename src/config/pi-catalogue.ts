/** Where the installed pi is, and what it knows of models and their prices. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { SessionDbError, unlessUnreadable } from "../errors.ts";
import { readJson, textIfThere } from "../files/json-file.ts";
import { withoutMark } from "./text-file.ts";

/** What pi's files say of models, not yet checked. */
export interface PiCatalogue {
  /** Of `pi-ai`, the package of pi that has the list. */
  version: string;
  /** Where that is. */
  folder: string;
  /** The models of each provider. */
  providers: Record<string, readonly unknown[]>;
  /** Newer lists that pi has fetched (`models-store.json`), and what the user has written (`models.json`); null without. */
  stored: unknown;
  own: unknown;
}

export interface PiPlaces {
  agentDir: string;
  /** Folders of programs, as `PATH` has them. */
  searchPath: string;
}

const SCOPES = ["@earendil-works", "@mariozechner"];

/**
 * Reads the list of models of the `pi` that would be started, and the user's own. No network is asked.
 *
 * @throws SessionDbError `not_found` where there is no such pi, or no list in it; `io`
 */
export async function readPiCatalogue({ agentDir, searchPath }: PiPlaces): Promise<PiCatalogue> {
  const folder = findPiAi(searchPath);
  if (folder === null) {
    throw new SessionDbError("not_found", "there is no pi on PATH whose price list could be read", {
      hint: "Install pi with npm, or put the folder of its program on PATH.",
    });
  }
  const providers = listInData(folder) ?? (await listInModule(folder));
  if (providers === null) {
    throw new SessionDbError("not_found", `this pi has no list of models that is understood: ${folder}`, {
      hint: "Update pi, or sessiondb.",
    });
  }
  const about = readJson(join(folder, "package.json"));
  return {
    version: isRecord(about) ? String(about.version) : "",
    folder,
    providers,
    stored: readJson(join(agentDir, "models-store.json")),
    own: await readWithComments(join(agentDir, "models.json")),
  };
}

/** The folder of the package `pi-ai` that the first pi on the way uses. */
function findPiAi(searchPath: string): string | null {
  for (const folder of searchPath.split(delimiter).filter(isAbsolute)) {
    for (const name of ["pi", "pi.cmd"]) {
      const program = join(folder, name);
      // A folder or a pipe of that name is started by nobody.
      if (!existsSync(program) || !statSync(program).isFile()) continue;
      const found =
        piAiOf(realpathSync(program)) ?? piAiOf(unlessUnreadable(() => startedBy(program)) ?? null);
      if (found !== null) return found;
    }
  }
  return null;
}

/** As Node looks for a package from a file. */
function piAiOf(path: string | null): string | null {
  if (path === null) return null;
  // Where both are installed side by side, each pi uses that of its own scope.
  const scopes = SCOPES.toSorted((a, b) => Number(path.includes(b)) - Number(path.includes(a)));
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const places = scopes.map((scope) => join(folder, "node_modules", scope, "pi-ai"));
    const found = places.find((place) => existsSync(join(place, "package.json")));
    if (found !== undefined) return found;
  }
  return null;
}

/** So much of a file is enough to tell a script that starts another one. */
const MOST_OF_A_SCRIPT = 4096;
/** What npm (on Windows) and pnpm write in the place of a link: a script that starts pi by its place beside the script. */
const STARTS_PI =
  /(?:\$basedir|%~?dp0%?)[\\/]*([^"'\s]*?node_modules[\\/]@[\w-]+[\\/]pi-coding-agent[\\/][^"'\s]+)/;

function startedBy(program: string): string | null {
  const head = readFileSync(program).subarray(0, MOST_OF_A_SCRIPT).toString("utf8");
  const beside = STARTS_PI.exec(head)?.[1];
  if (beside === undefined) return null;
  const path = join(dirname(program), beside.replaceAll("\\", "/"));
  return existsSync(path) ? realpathSync(path) : null;
}

/** Newer releases: a file for each provider, with models by the API that they speak. */
function listInData(folder: string): PiCatalogue["providers"] | null {
  const data = join(folder, "dist", "providers", "data");
  if (!existsSync(data)) return null;
  const names = readdirSync(data).filter((name) => /^\w.*\.json$/.test(name));
  return Object.fromEntries(
    names.map((name) => [
      name.replace(/\.json$/, ""),
      valuesOf(readJson(join(data, name))).flatMap(valuesOf),
    ]),
  );
}

/** Older ones: a module that holds nothing but the list. */
async function listInModule(folder: string): Promise<PiCatalogue["providers"] | null> {
  const path = join(folder, "dist", "models.generated.js");
  if (!existsSync(path)) return null;
  // The module is pi's: whatever it throws, there is no list.
  const module: unknown = await import(pathToFileURL(path).href).catch(() => null);
  const MODELS = isRecord(module) ? module.MODELS : null;
  if (!isRecord(MODELS)) return null;
  return Object.fromEntries(Object.entries(MODELS).map(([provider, models]) => [provider, valuesOf(models)]));
}

/** Null for a file that is not there, or that pi would not understand either. */
async function readWithComments(path: string): Promise<unknown> {
  const text = withoutMark(textIfThere(path));
  if (text === "") return null;
  const { default: jsonc } = await import("jsonc-parser");
  const errors: unknown[] = [];
  const value: unknown = jsonc.parse(text, errors as [], { allowTrailingComma: true });
  return errors.length === 0 ? value : null;
}

function valuesOf(value: unknown): unknown[] {
  return isRecord(value) ? Object.values(value) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
