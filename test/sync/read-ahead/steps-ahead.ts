import { closeSync, openSync } from "node:fs";
import { LineReader } from "../../../src/file/lines.ts";
import { DigestPacker } from "../../../src/sync/read-ahead/digest-packer.ts";
import { DigestUnpacker } from "../../../src/sync/read-ahead/digest-unpacker.ts";
import { AheadFile, type AheadStep } from "../../../src/sync/read-ahead/read-ahead-step.ts";

/** All steps to be had of a file, read here and now, and handed over in columns as the thread hands them over. */
export function stepsAhead(realPath: string): AheadStep[] {
  const fd = openSync(realPath, "r");
  try {
    const file = new AheadFile(fd, new LineReader());
    const packer = new DigestPacker();
    const steps: AheadStep[] = [];
    for (let step = file.next(packer); step !== null; step = step.atEnd ? null : file.next(packer)) {
      const unpacker = new DigestUnpacker(structuredClone(packer.take()));
      const entries = Array.from({ length: step.entryCount }, () => unpacker.next());
      steps.push({ ...structuredClone(step), entries });
    }
    return steps;
  } finally {
    closeSync(fd);
  }
}
