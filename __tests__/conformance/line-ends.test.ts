import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { freshAddress } from "../helpers/memory-case.js";
import { backendsUnderTest } from "../helpers/backends-under-test.js";
import { editByModel, editByTool, lineEdit, mixedText } from "../helpers/line-end-model.js";
import { repetitions } from "../helpers/repetitions.js";

/** In the long run 10,000 edits over all backends. */
const runs = repetitions({ usual: 40, long: 700 });

describe.each(backendsUnderTest())("edits of models on %s", (_name, backend) => {
  it("match whichever line ends the file has, and keep them", async () => {
    const property = fc.asyncProperty(mixedText, fc.array(lineEdit, { maxLength: 8 }), async (start, edits) => {
      const memory = backend.open(freshAddress());
      await memory.write("/f", start);
      let expected = start;
      for (const edit of edits) {
        await editByTool(memory, edit);
        expected = editByModel(expected, edit);
        expect(await memory.read("/f")).toBe(expected);
      }
    });
    await fc.assert(property, { numRuns: runs });
  });
});
