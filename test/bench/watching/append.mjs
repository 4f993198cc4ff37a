// Appends single lines to a list of files in turn, at a rate. Sent `{ files, rate, seconds }`, it answers with how many
// it has appended.
import { appendFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

process.on("message", async ({ files, rate, seconds }) => {
  const began = performance.now();
  let count = 0;
  for (let elapsed = 0; elapsed < seconds; elapsed = (performance.now() - began) / 1000) {
    for (; count < rate * elapsed; count++) appendFileSync(files[count % files.length], "\n");
    await setTimeout(1);
  }
  process.send({ count });
});
process.send({ ready: true });
