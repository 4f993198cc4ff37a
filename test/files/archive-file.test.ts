import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packAway, unpackTo, usualCodec, verifyPacked } from "../../src/files/archive-file.ts";
import { placesInArchive } from "../../src/files/archive-place.ts";
import { finishMoves, packedFilesOf } from "../../src/files/archive-walk.ts";
import { LineReader } from "../../src/files/lines.ts";
import { useRegularFile } from "../../src/files/open-file.ts";
import { BLOCK_BYTES } from "../../src/files/packed-format.ts";
import { readRange } from "../../src/files/range.ts";
import { statOpenFile } from "../../src/files/stat.ts";
import { fc } from "../helpers/drawn.ts";
import { edited, edits } from "../helpers/edited-bytes.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

class Place {
  readonly folder = tempDir();
  readonly root = join(this.folder, "sessions");
  readonly original = join(this.root, "p", "a.jsonl");
  readonly packed = `${placesInArchive(this.original, [this.root])[0]}.${usualCodec()}`;

  constructor(bytes: Uint8Array = session().user("question").assistant().bytes()) {
    mkdirSync(join(this.root, "p"), { recursive: true });
    writeFileSync(this.original, bytes);
  }

  pack() {
    return packAway(this.original, this.packed);
  }

  unpack() {
    return unpackTo(this.original, this.packed);
  }
}

/** Of so many bytes, which do not repeat exactly. */
function linesOf(bytes: number): Buffer {
  const lines: string[] = [];
  for (let length = 0, at = 0; length < bytes; at++) {
    const line = `${JSON.stringify({ at, text: "word ".repeat(at % 60) })}\n`;
    lines.push(line);
    length += line.length;
  }
  return Buffer.from(lines.join("")).subarray(0, bytes);
}

describe("a packed file", () => {
  test("gives back any bytes, and any range of them", () => {
    const sizes = fc.oneof(
      fc.integer({ min: 0, max: 5000 }),
      fc.constantFrom(BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES + 17),
    );
    const range = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 600_000 }));
    fc.assert(
      fc.property(sizes, fc.boolean(), fc.array(range, { maxLength: 5 }), (size, isNoise, ranges) => {
        const bytes = isNoise
          ? Buffer.from(Array.from({ length: size }, (_, at) => (at * at * 31) % 251))
          : linesOf(size);
        const place = new Place(bytes);
        place.pack();
        expect(verifyPacked(place.packed).bytes).toBe(size);
        for (const [from, length] of [...ranges, [0, size + 10] as const]) {
          const offset = Math.floor(from * size);
          const expected = bytes.subarray(offset, offset + length);
          expect(readRange(place.packed, offset, length)?.equals(expected)).toBe(true);
        }
        place.unpack();
        expect(readFileSync(place.original).equals(bytes)).toBe(true);
        rmSync(place.folder, { recursive: true });
      }),
      { numRuns: 25 },
    );
  });

  test("is read line by line, by the places of the session file", () => {
    const bytes = linesOf(2 * BLOCK_BYTES + 999);
    const place = new Place(bytes);
    place.pack();
    const found = useRegularFile(place.packed, (fd) => {
      const { size } = statOpenFile(fd);
      return new LineReader().readStep(fd, 0, size).lines.map(({ offset, length }) => [offset, length]);
    });
    const whole = bytes.toString().split("\n");
    expect(found?.length).toBe(whole.length);
    expect(
      found
        ?.slice(0, -1)
        .every(
          ([offset = 0, length = 0], at) => bytes.subarray(offset, offset + length).toString() === whole[at],
        ),
    ).toBe(true);
  });

  test.skipIf(spawnSync("zcat", ["--version"]).status !== 0)("is unpacked by ordinary tools", () => {
    const bytes = linesOf(600_000);
    const place = new Place(bytes);
    packAway(place.original, join(place.folder, "a.jsonl.gz"));
    const unpacked = execFileSync("zcat", [join(place.folder, "a.jsonl.gz")], { maxBuffer: 1e8 });
    expect(unpacked.equals(bytes)).toBe(true);
  });

  test("keeps the time and the permissions of the session file, and is for its owner alone", () => {
    const place = new Place();
    utimesSync(place.original, 1_700_000_000.123456, 1_700_000_000.123456);
    chmodSync(place.original, 0o640);
    const before = statSync(place.original);
    place.pack();
    expect(statSync(place.packed)).toMatchObject({ mtimeMs: before.mtimeMs });
    expect(statSync(place.packed).mode & 0o777).toBe(0o600);
    place.unpack();
    expect(statSync(place.original)).toMatchObject({ mtimeMs: before.mtimeMs, mode: before.mode });
  });

  test("B25: that is damaged anywhere is found by verify, and stays when it is to be restored", () => {
    const place = new Place(linesOf(300_000));
    place.pack();
    const whole = readFileSync(place.packed);
    fc.assert(
      fc.property(edits(2, 8), (changes) => {
        const damaged = changes.reduce(edited, whole);
        fc.pre(!damaged.equals(whole));
        writeFileSync(place.packed, damaged);
        // What no reader looks at may be changed, as the time in a gzip header.
        if (isWhole(place.packed)) return;
        expect(() => place.unpack()).toThrow();
        expect(existsSync(place.original)).toBe(false);
        expect(readFileSync(place.packed).equals(damaged)).toBe(true);
      }),
    );
  });

  test("that was cut off is no file that can be read", () => {
    const place = new Place(linesOf(300_000));
    place.pack();
    truncateSync(place.packed, statSync(place.packed).size - 5);
    expect(readRange(place.packed, 0, 10)).toBeNull();
    expect(() => verifyPacked(place.packed)).toThrow("EBADMSG");
  });
});

describe("what is not moved", () => {
  test.each<[string, (place: Place) => void]>([
    [
      "a link",
      (place) => {
        cpSync(place.original, join(place.folder, "b.jsonl"));
        rmSync(place.original);
        symlinkSync(join(place.folder, "b.jsonl"), place.original);
      },
    ],
    ["a file with two names", (place) => linkSync(place.original, join(place.folder, "b.jsonl"))],
  ])("%s", (_what, prepare) => {
    const place = new Place();
    prepare(place);
    const before = readFileSync(place.original);
    expect(() => place.pack()).toThrow();
    expect(readFileSync(place.original).equals(before)).toBe(true);
    expect(existsSync(place.packed)).toBe(false);
  });

  test("a session in whose place in the archive another one lies", () => {
    const place = new Place();
    place.pack();
    const packed = readFileSync(place.packed);
    writeFileSync(place.original, session({ id: "other" }).user("else").bytes());
    expect(() => place.pack()).toThrow("another session is archived");
    expect(readFileSync(place.packed).equals(packed)).toBe(true);
    expect(existsSync(place.original)).toBe(true);
  });

  test("an archived session in whose place another file lies by now", () => {
    const place = new Place();
    place.pack();
    writeFileSync(place.original, "another\n");
    expect(() => place.unpack()).toThrow("another file lies");
    finishMoves([place.root]);
    expect(readFileSync(place.original, "utf8")).toBe("another\n");
    expect(packedFilesOf(place.root)).toEqual([place.packed]);
  });
});

describe("a session that lies in both places", () => {
  test("was gone on with after it was restored: the packed file goes", () => {
    const place = new Place();
    const bytes = readFileSync(place.original);
    place.pack();
    writeFileSync(place.original, bytes);
    appendFileSync(place.original, "{}\n");
    finishMoves([place.root]);
    expect(packedFilesOf(place.root)).toEqual([]);
    expect(readFileSync(place.original, "utf8")).toBe(`${bytes}{}\n`);
  });

  test("and is archived again, longer than before, is packed whole", () => {
    const place = new Place();
    const bytes = readFileSync(place.original);
    place.pack();
    writeFileSync(place.original, `${bytes}{}\n`);
    place.pack();
    expect(readdirSync(join(place.root, "p"))).toEqual([]);
    place.unpack();
    expect(readFileSync(place.original, "utf8")).toBe(`${bytes}{}\n`);
  });
});

test.skipIf(!existsSync("/dev/shm") || statSync("/dev/shm").dev === statSync(tempRoot()).dev)(
  "B24: an archive that is a link to another disk takes sessions, and gives them back",
  () => {
    const place = new Place();
    const bytes = readFileSync(place.original);
    const disk = execFileSync("mktemp", ["-d", "/dev/shm/sessiondb-XXXXXX"], { encoding: "utf8" }).trim();
    try {
      symlinkSync(disk, `${place.root}-archive`);
      place.pack();
      expect(statSync(place.packed).dev).not.toBe(statSync(place.root).dev);
      place.unpack();
      expect(readFileSync(place.original).equals(bytes)).toBe(true);
    } finally {
      rmSync(disk, { recursive: true });
    }
  },
);

/** Whether it is said to be whole; then all that is read of it is right. */
function isWhole(packed: string): boolean {
  try {
    verifyPacked(packed);
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return false;
  }
  expect(execFileSync("zcat", ["-f", packed], { maxBuffer: 1e8 }).equals(linesOf(300_000))).toBe(true);
  return true;
}

function tempRoot(): string {
  return process.env.TMPDIR ?? "/tmp";
}
