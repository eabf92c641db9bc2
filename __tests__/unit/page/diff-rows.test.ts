import { describe, expect, it } from "@jest/globals";
import { readableDiff } from "../../../src/core/history/unified-diff.js";
import { createRows } from "../../../src/page/client/history/diff-rows.js";
import { compareTexts, parseHunks } from "../../../src/page/hunks.js";

async function rowsOf(older: string, newer: string) {
  const hunks = await compareTexts(older, newer, new AbortController().signal);
  expect(parseHunks(await readableDiff({ name: "/a", text: older }, { name: "/a", text: newer }, null))).toEqual(
    hunks.map((hunk) => ({
      ...hunk,
      oldStart: hunk.oldStart - Number(hunk.oldLines === 0),
      newStart: hunk.newStart - Number(hunk.newLines === 0),
    })),
  );
  return createRows(hunks);
}

describe("a difference in the browser", () => {
  it("has the numbers of both texts", async () => {
    const rows = await rowsOf("a\nb\nc\n", "a\nx\ny\nc\n");
    expect(rows.map(({ kind, text, older, newer }) => [kind, text, older, newer])).toEqual([
      ["same", "a", 1, 1],
      ["removed", "b", 2, null],
      ["added", "x", null, 2],
      ["added", "y", null, 3],
      ["same", "c", 3, 4],
    ]);
  });

  it("counts one added line for an append to a text without a newline at its end", async () => {
    const rows = await rowsOf("a\nb", "a\nb\nc");
    expect(rows.map(({ kind, text, older, newer }) => [kind, text, older, newer])).toEqual([
      ["same", "a", 1, 1],
      ["same", "b", 2, 2],
      ["added", "c", null, 3],
    ]);
  });

  it("says in words that only the newline at the end went", async () => {
    const rows = await rowsOf("a\n", "a");
    expect(rows.map(({ kind, text }) => [kind, text])).toEqual([
      ["note", "no line changes: only the newline at the end is removed"],
      ["same", "a"],
    ]);
  });

  it("marks what differs of lines that replace each other", async () => {
    const [removed, added] = await rowsOf("allergic to nuts\n", "allergic to nuts and sesame\n");
    expect([removed?.changed, added?.changed]).toEqual([
      [16, 16],
      [16, 27],
    ]);
  });

  it("takes no content for a head, an end or a note", async () => {
    const hostile = "--- a\n+++ b\n@@ -1 +1 @@\n\\ No newline at end of file\n";
    const rows = await rowsOf("", hostile);
    expect(rows.map(({ kind, text }) => [kind, text])).toEqual(
      hostile
        .trimEnd()
        .split("\n")
        .map((line) => ["added", line]),
    );
    const back = await rowsOf(hostile, "");
    expect(back.map(({ kind, text }) => [kind, text])).toEqual(
      hostile
        .trimEnd()
        .split("\n")
        .map((line) => ["removed", line]),
    );
  });

  it("says that texts are too different to show line by line, however many lines they have", async () => {
    const lines = (name: string): string => `${name}\n`.repeat(200_000);
    const [note, ...rows] = await rowsOf(lines("a"), lines("b"));
    expect(note).toMatchObject({
      kind: "note",
      text: "too different to show line by line: everything is removed and added",
    });
    expect(rows).toHaveLength(400_000);
  });

  it("shows where lines are left out, and lists of files by their signs", async () => {
    const many = Array.from({ length: 30 }, (_, index) => `${index}\n`).join("");
    expect((await rowsOf(many, `x\n${many}y\n`)).filter(({ kind }) => kind === "gap")).toHaveLength(1);
    expect(
      createRows(parseHunks("- /a (1 bytes)\n+ /b (1 bytes)\n[9 more characters are not shown]\n")).map(
        ({ kind, text, older }) => [kind, text, older],
      ),
    ).toEqual([
      ["removed", "/a (1 bytes)", null],
      ["added", "/b (1 bytes)", null],
      ["note", "[9 more characters are not shown]", null],
    ]);
  });
});
