import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { withService } from "../../src/team/service-file.ts";
import { runCli } from "../cli/pretend-world.ts";
import { hasNoPostgres, postgresServer } from "../helpers/postgres.ts";
import { laptop, newTeam } from "../helpers/team.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const server = postgresServer();

function serviceFile(text: string): string {
  const path = join(tempDir(), "pg_service.conf");
  writeFileSync(path, text);
  vi.stubEnv("PGSERVICEFILE", path);
  return path;
}

const FILE = `# ours
[other]
host=elsewhere

[team]
host=db.example.com
port=5433
dbname=team
user=ada
password=a b@c
sslrootcert=/etc/ca.pem
[socket]
host=/run/postgresql
dbname=team`;

test.each([
  ["postgres://db/team", "postgres://db/team"],
  [
    "postgres://?service=team",
    "postgres://ada:a%20b%40c@db.example.com:5433/team?sslrootcert=%2Fetc%2Fca.pem",
  ],
  [
    "postgres://ben@near:1/mine?service=team",
    "postgres://ben:a%20b%40c@near:1/mine?sslrootcert=%2Fetc%2Fca.pem",
  ],
  ["postgres://?service=socket", "postgres://localhost/team?host=%2Frun%2Fpostgresql"],
])("%s leads to %s", (address, expected) => {
  serviceFile(FILE);
  expect(withService(new URL(address)).href).toBe(expected);
});

test("a service, or a file, that is not there is told in one line, without what the file holds", async () => {
  const path = serviceFile(FILE);
  const { code, stderr } = await runCli(["usage", "--team"], laptop("postgres://?service=nobody"));
  expect([code, stderr]).toEqual([2, expect.stringContaining(`there is no service "nobody" in ${path}`)]);
  vi.stubEnv("PGSERVICEFILE", join(tempDir(), "none"));
  const missing = await runCli(["usage", "--team"], laptop("postgres://?service=team"));
  expect(missing.stderr).toContain("the file of services cannot be read (ENOENT)");
});

describe.skipIf(hasNoPostgres())("a team by the name of a service", () => {
  test("is asked", async () => {
    const { hostname, port, username, password, pathname } = new URL(
      await (await newTeam(server)).url("ada"),
    );
    serviceFile(`[team]
host=${hostname}
port=${port}
user=${username}
password=${password}
dbname=${pathname.slice(1)}`);
    const { code, stdout } = await runCli(["--team", "--json"], laptop("postgres://?service=team"));
    expect([code, JSON.parse(stdout).place]).toEqual([0, `${username}@${hostname}:${port}${pathname}`]);
  });
});
