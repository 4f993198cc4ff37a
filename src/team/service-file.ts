import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { codeOf, isSystemError, SessionDbError } from "../errors.ts";
import { processEnvironment } from "../runtime/env.ts";

/*
 * Servers by name, in a file of the user's, as PostgreSQL's own programs read it: a section each, with `host=`, `port=` and
 * so on. https://www.postgresql.org/docs/current/libpq-pgservice.html
 */

/**
 * An address with what the service that it names (`?service=team`) says, as far as the address does not say it itself.
 *
 * @throws SessionDbError `usage` where there is no such service
 */
export function withService(address: URL): URL {
  const name = address.searchParams.get("service");
  if (name === null) return address;
  const settings = serviceNamed(name);
  const url = new URL(address);
  url.searchParams.delete("service");
  const host = settings.get("host") ?? "localhost";
  // The folder of a socket is none that an address could name.
  if (url.hostname === "" && host.startsWith("/")) url.searchParams.set("host", host);
  url.hostname ||= host.startsWith("/") ? "localhost" : host;
  url.port ||= settings.get("port") ?? "";
  url.username ||= encodeURIComponent(settings.get("user") ?? "");
  url.password ||= encodeURIComponent(settings.get("password") ?? "");
  if (url.pathname === "" || url.pathname === "/") url.pathname = `/${settings.get("dbname") ?? ""}`;
  for (const option of ["sslmode", "sslrootcert"]) {
    const value = settings.get(option);
    if (value !== undefined && !url.searchParams.has(option)) url.searchParams.set(option, value);
  }
  return url;
}

function serviceNamed(name: string): ReadonlyMap<string, string> {
  const { PGSERVICEFILE } = processEnvironment();
  const path = PGSERVICEFILE || join(homedir(), ".pg_service.conf");
  const settings = servicesIn(read(path)).get(name);
  if (settings !== undefined) return settings;
  throw new SessionDbError("usage", `there is no service ${JSON.stringify(name)} in ${path}`, {
    hint: "PGSERVICEFILE says which file is read.",
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new SessionDbError("usage", `the file of services cannot be read (${codeOf(error)}): ${path}`, {
      hint: "PGSERVICEFILE says which file is read.",
      cause: error,
    });
  }
}

function servicesIn(text: string): Map<string, Map<string, string>> {
  const services = new Map<string, Map<string, string>>();
  let current = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, section] = /^\s*\[(.+)\]\s*$/.exec(line) ?? [];
    const [, key, value] = /^\s*([a-z_]+)=(.*)$/.exec(line) ?? [];
    if (section !== undefined) {
      current = new Map();
      services.set(section, current);
    } else if (key !== undefined && value !== undefined) current.set(key, value.trim());
  }
  return services;
}
