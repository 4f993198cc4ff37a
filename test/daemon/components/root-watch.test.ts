import { expect, test } from "vitest";
import type { DaemonEvent } from "../../../daemon/components/component.ts";
import { RootWatch } from "../../../daemon/components/root-watch.ts";
import { Roots } from "../../../daemon/components/roots.ts";
import { NOTHING_EXCLUDED } from "../../../src/files/session-path.ts";
import { deaf } from "../running.ts";

test("C3: a flood of events, of which the system may have lost some, asks for a sweep once", () => {
  const events: DaemonEvent[] = [];
  const context = { roots: new Roots([]), isExcluded: NOTHING_EXCLUDED };
  const { watch, changed } = deaf();
  const rootWatch = new RootWatch({ ...context, emit: (event) => void events.push(event) }, watch);
  for (let event = 0; event < 5000; event++) changed("/a.jsonl");
  events.length = 0;
  rootWatch.noticeFlood();
  rootWatch.noticeFlood();
  expect(events).toEqual([{ kind: "unclear" }]);
});
