import { existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { expect, test } from "vitest";
import { codeOf } from "../../src/errors.ts";
import { TEST_HOMES } from "./home-environment.ts";

const homes = process.env[TEST_HOMES] ?? "";

test("a test's home is an existing temporary folder of its own, not the user's", () => {
  expect(homes).not.toBe("");
  expect(homedir().startsWith(homes)).toBe(true);
  expect(homedir()).not.toBe(homeOfUser());
  expect(existsSync(homedir())).toBe(true);
});

/** Undefined for a user without an entry in the system's list, as in containers. */
function homeOfUser(): string | undefined {
  try {
    return userInfo().homedir;
  } catch (error) {
    if (codeOf(error) === "ERR_SYSTEM_ERROR") return undefined;
    throw error;
  }
}

test("pi's agent folder and the XDG folders lie in that home", () => {
  for (const name of ["PI_CODING_AGENT_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"]) {
    expect(process.env[name]?.startsWith(homedir())).toBe(true);
  }
  expect(process.env.PI_CODING_AGENT_SESSION_DIR).toBeUndefined();
});

test("the tests' clock runs in UTC", () => {
  expect(new Date(2026, 6, 1).getTimezoneOffset()).toBe(0);
  expect(Intl.DateTimeFormat().resolvedOptions().timeZone).toBe("UTC");
});
