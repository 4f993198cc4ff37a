import { appendFileSync, chmodSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { Roots } from "../../../daemon/components/roots.ts";
import { asNobodyUntil } from "../../files/as-nobody.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { Store } from "../../indexing/store.ts";
import { HASTY, NO_SWEEPS, Running } from "../running.ts";

const EXT4 = 0xef53;
const NFS = 0x6969;
const never = () => new Promise<number>(() => undefined);

test("B18: a root on a network file system is told of, and not watched but polled", async () => {
  const roots = new Roots(["/here", "/there"], {
    typeOf: async (path) => (path === "/here" ? EXT4 : NFS),
  });
  expect(await roots.check()).toBe(true);
  expect([roots.tells("/here"), roots.tells("/there"), roots.polls]).toEqual([true, false, true]);
  expect(roots.trouble).toMatch(/^\/there is on a file system that does not report.*\(NFS\)/);
  expect(roots.answering).toEqual(["/here", "/there"]);
});

test("B18: a file system that does not answer is waited for once, asked once, and comes back", async () => {
  let answer: (type: number) => void = () => undefined;
  let asked = 0;
  const typeOf = (path: string) => {
    if (path === "/here") return Promise.resolve(EXT4);
    asked++;
    return new Promise<number>((resolve) => {
      answer = resolve;
    });
  };
  const roots = new Roots(["/here", "/there"], { typeOf, deadlineMs: 10 });
  await roots.check();
  await roots.check();
  expect([asked, roots.trouble]).toEqual([1, "the file system of /there does not respond"]);
  expect(roots.answering).toEqual(["/here"]);
  expect([roots.mayLookAt("/here/a.jsonl"), roots.mayLookAt("/there/a.jsonl")]).toEqual([true, false]);
  answer(EXT4);
  await pollUntil(() => roots.trouble === null, { what: "the answer" });
  expect(roots.tells("/there")).toBe(true);
  const noticed = roots.check();
  answer(EXT4);
  expect(await noticed).toBe(true);
});

test("B16: a root that is not there, or not to be reached, is told of before others, until it is", async () => {
  let answer = (): Promise<number> => Promise.resolve(EXT4);
  const roots = new Roots(["/there", "/here"], {
    typeOf: (path) => (path === "/here" ? answer() : Promise.resolve(NFS)),
  });
  const refused = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
  answer = refused("ENOENT");
  await roots.check();
  expect(roots.trouble).toBe("there is no folder /here");
  answer = refused("EACCES");
  await roots.check();
  expect(roots.trouble).toBe("the folder /here cannot be read (EACCES)");
  answer = () => Promise.resolve(EXT4);
  expect(await roots.check()).toBe(true);
  expect(roots.trouble).toMatch(/^\/there is on a file system/);
});

test("a change of any root is noticed, also while another one is in trouble", async () => {
  const unreadable = new Set(["/a", "/b"]);
  const typeOf = async (path: string) => {
    if (!unreadable.has(path)) return EXT4;
    throw Object.assign(new Error("refused"), { code: "EACCES" });
  };
  const roots = new Roots(["/a", "/b"], { typeOf });
  const noticed = [await roots.check(), await roots.check()];
  unreadable.delete("/b");
  noticed.push(await roots.check(), await roots.check());
  expect(noticed).toEqual([true, false, true, false]);
});

test.skipIf(process.platform === "win32")(
  "a root that may not be read is told of, until it may be",
  async () => {
    const root = tempDir();
    const roots = new Roots([root]);
    const check = () => asNobodyUntil(() => roots.check());
    chmodSync(root, 0o755);
    await check();
    expect(roots.trouble).toBeNull();
    chmodSync(root, 0o000);
    expect([await check(), roots.trouble]).toEqual([true, `the folder ${root} cannot be read (EACCES)`]);
    chmodSync(root, 0o755);
    expect([await check(), roots.trouble]).toEqual([true, null]);
  },
);

test("B18: a root that hangs is not watched either", async () => {
  const roots = new Roots(["/there"], { typeOf: never, deadlineMs: 1 });
  await roots.check();
  expect([roots.tells("/there"), roots.polls]).toEqual([false, false]);
});

test("B18: one that is known to hang is not waited for again", async () => {
  const roots = new Roots(["/there"], { typeOf: never, deadlineMs: 50 });
  await roots.check();
  const timer = setTimeout(50).then(() => "the deadline");
  expect(await Promise.race([roots.check().then(() => "its answer"), timer])).toBe("its answer");
});

test("B18: one that answers in time goes on answering", async () => {
  const roots = new Roots(["/here"], { typeOf: async () => EXT4, deadlineMs: 20 });
  await roots.check();
  await setTimeout(60);
  expect([roots.trouble, roots.answering]).toEqual([null, ["/here"]]);
});

test("B18: what is mounted on a root later, or not any more, is noticed", async () => {
  let type: number | null = EXT4;
  const typeOf = async () => {
    if (type !== null) return type;
    throw Object.assign(new Error("gone"), { code: "ENOENT" });
  };
  const roots = new Roots(["/mnt"], { typeOf });
  const changes: [boolean, boolean][] = [];
  for (const next of [EXT4, NFS, NFS, EXT4, NFS, null]) {
    type = next;
    changes.push([await roots.check(), roots.tells("/mnt")]);
  }
  expect(changes).toEqual([
    [false, true],
    [true, false],
    [false, false],
    [true, true],
    [true, false],
    [true, true],
  ]);
});

test("a root that is not there is watched as soon as it comes, and not polled", async () => {
  const roots = new Roots(["/nowhere/at/all"]);
  await roots.check();
  expect([roots.tells("/nowhere/at/all"), roots.polls]).toEqual([true, false]);
});

test("B18: the daemon polls a root that tells nothing, and says so", async () => {
  const store = new Store();
  const roots = new Roots([store.root], { typeOf: async () => NFS });
  const intervals = { ...HASTY, pollMs: 50 };
  const { daemon } = await new Running(store, { roots, intervals }).ready();
  expect(daemon.report()).toMatchObject({ state: "degraded", watches: 0 });
  store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
  await pollUntil(() => store.column("SELECT count(*) FROM entries")[0] === 1, { what: "the row" });
});

test("B18: a network file system that did not answer when the daemon began is looked at as soon as it does", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
  let answer: (type: number) => void = () => undefined;
  let hangs = true;
  const typeOf = () => (hangs ? new Promise<number>((resolve) => (answer = resolve)) : Promise.resolve(NFS));
  const roots = new Roots([store.root], { typeOf, deadlineMs: 20 });
  await new Running(store, { roots, intervals: NO_SWEEPS }).ready();
  expect(store.column("SELECT count(*) FROM files")).toEqual([0]);
  hangs = false;
  answer(NFS);
  await pollUntil(() => store.column("SELECT count(*) FROM entries")[0] === 1, { what: "the row" });
});

test("B18: a root that hangs keeps neither the others nor the status waiting, and loses no row", async () => {
  const store = new Store();
  const other = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
  store.sync();
  store.write("c.jsonl", session({ id: "c" }).user("z").bytes());
  const typeOf = (path: string) => (path === store.root ? never() : Promise.resolve(EXT4));
  const roots = new Roots([store.root, other.root], { typeOf, deadlineMs: 20 });
  const { daemon } = await new Running(store, { roots }).ready();
  expect(daemon.report().degraded).toBe(`the file system of ${store.root} does not respond`);
  other.write("b.jsonl", session({ id: "b" }).user("y").bytes());
  const ids = () => store.column("SELECT session_id FROM sessions ORDER BY session_id");
  await pollUntil(() => ids().length === 2, { what: "the other root's session" });
  expect(ids()).toEqual(["a", "b"]);
});

test("B18: no file of a network file system that has come to hang is looked at", async () => {
  const store = new Store();
  const built = session({ id: "a" }).user("x");
  const path = store.write("a.jsonl", built.bytes());
  let hangs = false;
  const typeOf = () => (hangs ? never() : Promise.resolve(NFS));
  const roots = new Roots([store.root], { typeOf, deadlineMs: 20 });
  const intervals = { ...HASTY, hotMs: 20, pollMs: 20 };
  const running = await new Running(store, { roots, intervals }).ready();
  const entries = () => store.column("SELECT count(*) FROM entries")[0];
  await pollUntil(() => entries() === 1, { what: "the row" });
  hangs = true;
  await pollUntil(() => running.daemon.report().degraded?.includes("does not respond"), {
    what: "degraded",
  });
  appendFileSync(path, `${built.user("y").lines().at(-1)}\n`);
  // With most of them it would look at it.
  await running.turned(10);
  expect(entries()).toBe(1);
});
