import { afterAll, describe, expect, it } from "@jest/globals";
import { open } from "node:fs/promises";
import { readTrees } from "../../../src/cli/archive/archived-trees.js";
import { archiveHeader } from "../../../src/cli/archive/archive-format.js";

const opened = open("/dev/null");
afterAll(async () => (await opened).close());

/** A line in a piece of its own. */
const toPiece = (line: object): Uint8Array => Buffer.from(`${JSON.stringify(line)}\n`);

describe("the memories of an archive", () => {
  // Requirement: command-line.archive-limits
  it("are read one at a time, each up to the first line of the next", async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield toPiece(archiveHeader);
      for (; ; read += 1) yield toPiece({ address: { nodeId: `node ${read}` }, memory: true });
    }
    const trees = readTrees(endless(), { handle: await opened, name: "here" });
    for (const expected of [1, 2, 3]) {
      expect((await trees.next()).value).toMatchObject({ address: { nodeId: `node ${expected - 1}` }, files: [] });
      expect(read).toBe(expected);
    }
    await trees.return(undefined);
  });

  // Requirement: command-line.archive-limits
  it("have a bounded number of lines", async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield toPiece(archiveHeader);
      for (; ; read += 1) yield toPiece({ address: null, directory: `/${read}` });
    }
    const trees = readTrees(endless(), { handle: await opened, name: "here" }, 100);
    await expect(trees.next()).rejects.toMatchObject({
      code: "EINPUT",
      message: expect.stringMatching(/^here: line 102: the memory has more than 100 lines/),
    });
    expect(read).toBe(100);
  });
});
