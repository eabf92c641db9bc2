import { describe, expect, it } from "@jest/globals";
import { backendsUnderTest } from "../../helpers/backends-under-test.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { callsOf } from "../../helpers/ways-in.js";

const indices = Array.from({ length: 10 }, (_, index) => index);
const markOf = (dialect: string, index: number): string => `<${dialect} ${index}>`;

describe.each(backendsUnderTest())("dialects at once on %s", (_name, backend) => {
  it("in one file lose nothing: appends, updates, edits, inserted lines, new and changed blocks", async () => {
    const address = freshAddress();
    const open = () => backend.open(address);
    const file = "/2026/01/15.md";
    const path = `/memories${file}`;
    const seed = callsOf.journal(open());
    for (const index of indices) await seed("memory_write", { key: `old ${index}`, content: "old" });
    const replaced = ["update", "claude", "edit"];
    await open().append(file, replaced.flatMap((by) => indices.map((index) => `[${by} ${index}]\n`)).join(""));

    const unified = callsOf.unified(open());
    const claude = callsOf.claude(open());
    const journal = callsOf.journal(open());
    const program = open();
    const calls: Record<string, (index: number, mark: string) => Promise<unknown>> = {
      appended: (_index, mark) => unified("memory", { command: "append", path: file, content: mark }),
      update: (index, mark) =>
        unified("memory", { command: "update", path: file, oldContent: `[update ${index}]`, content: mark }),
      claude: (index, mark) =>
        claude("memory", { command: "str_replace", path, old_str: `[claude ${index}]`, new_str: mark }),
      inserted: (_index, mark) =>
        claude("memory", { command: "insert", path, insert_line: 0, insert_text: `${mark}\n` }),
      written: (index, mark) => journal("memory_write", { key: `new ${index}`, content: mark }),
      updated: (index, mark) => journal("memory_update", { key: `old ${index}`, content: mark }),
      edit: (index, mark) => program.edit(file, (text) => text.replace(`[edit ${index}]`, mark)),
      program: (_index, mark) => program.append(file, mark),
    };
    await Promise.all(
      indices.flatMap((index) => Object.entries(calls).map(([by, call]) => call(index, markOf(by, index)))),
    );

    const text = await open().read(file);
    const marks = [...text.matchAll(/<\w+ \d+>/g)].map(([mark]) => mark);
    const expected = Object.keys(calls).flatMap((by) => indices.map((index) => markOf(by, index)));
    expect(marks.toSorted()).toEqual(expected.toSorted());
    expect(text).not.toMatch(/\[\w+ \d+\]/);
    const { data } = JSON.parse(await journal("memory_search", { query: "", limit: 100 })) as {
      data: { results: { key: string; content: string }[] };
    };
    expect(Object.fromEntries(data.results.map(({ key, content }) => [key, content]))).toEqual(
      Object.fromEntries([
        ...indices.map((index) => [`new ${index}`, markOf("written", index)]),
        ...indices.map((index) => [`old ${index}`, markOf("updated", index)]),
      ]),
    );
  });
});
