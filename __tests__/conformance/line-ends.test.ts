import { describe, expect, it } from "@jest/globals";
import fc from "../helpers/fast-check.js";
import { freshAddress } from "../helpers/memory-case.js";
import { backendsUnderTest } from "../helpers/backends-under-test.js";
import { editByModel, editByTool, lineEdit, mixedText } from "../helpers/line-end-model.js";
import { repetitions } from "../helpers/repetitions.js";

/** In the long run 10,000 edits over all backends. */
const runs = repetitions({ usual: 20, long: 700 });

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

  it("are refused if they replace line ends in more than 50,000 places of a file with those of Windows", async () => {
    const memory = backend.open(freshAddress());
    const text = "a\r\n".repeat(50_000);
    await memory.write("/f", text);
    await memory.update("/f", "a\n", "b\n", { lineEnds: "file" });
    expect(await memory.read("/f")).toBe(text.replaceAll("a", "b"));
    await memory.append("/f", "b\r\n");
    const refused = memory.update("/f", "b\n", "c", { lineEnds: "file" });
    await expect(refused).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringContaining("in more than 50000 places"),
    });
    expect(await memory.update("/f", "b", "c", { lineEnds: "file" })).toBe(50_001);
  });
});
