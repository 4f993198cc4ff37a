import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LogFile } from "../../daemon/control/log.ts";
import { takeLock } from "../../src/store/lock.ts";
import { openIndex } from "../../src/store/open.ts";
import { asNobody } from "../files/as-nobody.ts";
import { indexIn } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const isRoot = process.geteuid?.() === 0;

/** A folder that everybody may write to, as /tmp. */
function sharedFolder(): string {
  const folder = tempDir();
  chmodSync(folder, 0o777);
  return folder;
}

describe.skipIf(!isRoot)("F7: what another user has put in the place of", () => {
  test("the index is not written to: an empty file, readable to all", () => {
    const { indexPath, searchPath } = indexIn(sharedFolder());
    writeFileSync(indexPath, "");
    chmodSync(indexPath, 0o666);
    expect(() => asNobody(() => openIndex({ indexPath, searchPath }))).toThrow(
      "the index belongs to another user",
    );
    expect(readFileSync(indexPath)).toHaveLength(0);
  });

  test("the index is not written to: a link to a file of one's own", () => {
    const { indexPath, searchPath } = indexIn(sharedFolder());
    const target = join(sharedFolder(), "precious");
    writeFileSync(target, "");
    chownSync(target, 65_534, 65_534);
    symlinkSync(target, indexPath);
    expect(() => asNobody(() => openIndex({ indexPath, searchPath }))).toThrow(
      "the index belongs to another user",
    );
    expect(readFileSync(target)).toHaveLength(0);
  });

  test("a file that a link of one's own leads to is not written to", () => {
    const { indexPath, searchPath } = indexIn(sharedFolder());
    const target = join(sharedFolder(), "theirs");
    writeFileSync(target, "");
    chmodSync(target, 0o666);
    symlinkSync(target, indexPath);
    lchownSync(indexPath, 65_534, 65_534);
    expect(() => asNobody(() => openIndex({ indexPath, searchPath }))).toThrow(
      "the index belongs to another user",
    );
    expect(readFileSync(target)).toHaveLength(0);
  });

  test.each(["-wal", "-shm", "-journal"])(
    "the %s of the index is not opened, and the index not made",
    (part) => {
      const { indexPath, searchPath } = indexIn(sharedFolder());
      writeFileSync(indexPath + part, "");
      chmodSync(indexPath + part, 0o666);
      expect(() => asNobody(() => openIndex({ indexPath, searchPath }))).toThrow(
        `the index belongs to another user: ${indexPath}${part}`,
      );
      expect(existsSync(indexPath)).toBe(false);
    },
  );

  test("the daemon's lock is not opened", () => {
    const path = join(sharedFolder(), "daemon-lock.db");
    writeFileSync(path, "");
    chmodSync(path, 0o666);
    expect(() => asNobody(() => takeLock(path, 0))).toThrow("the index belongs to another user");
  });
});

describe.skipIf(process.platform === "win32")("F7: a link that leads nowhere, in the place of", () => {
  test("the index, is not followed", () => {
    const { indexPath, searchPath } = indexIn(sharedFolder());
    const target = join(tempDir(), "new");
    symlinkSync(target, indexPath);
    expect(() => openIndex({ indexPath, searchPath })).toThrow("cannot be opened");
    expect(existsSync(target)).toBe(false);
  });

  test("the log, is not followed, and the daemon goes on", () => {
    const target = join(tempDir(), "new");
    const path = join(tempDir(), "daemon.log");
    symlinkSync(target, path);
    new LogFile(path).write("started");
    expect(existsSync(target)).toBe(false);
  });
});
