import { expect, test } from "vitest";
import { FullTextThread } from "../../daemon/full-text.ts";
import { indexIn } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("a slice that is asked of a thread that has ended fails, and is not waited for", async () => {
  const fullText = new FullTextThread(indexIn(tempDir()));
  await fullText.close();
  const why = expect.stringMatching(/^the full-text thread /);
  await expect(fullText.feed()).rejects.toMatchObject({ code: "io", message: why });
});
