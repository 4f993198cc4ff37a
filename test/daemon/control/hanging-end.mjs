// Has everything done when it is told to end, but for a call to a file system that never comes back: a FIFO stands for
// one, which nobody writes into.
//
//   node test/daemon/control/hanging-end.mjs <fifo>
import { once } from "node:events";
import { open } from "node:fs/promises";
import { untilToldToEnd } from "../../../build/daemon/main.js";

await untilToldToEnd(async (signal) => {
  void open(process.argv[2]);
  console.log("ready");
  await once(signal, "abort");
});
