import { describe, expect, it } from "@jest/globals";
import { freshAddress } from "../../helpers/memory-case.js";
import { backendsUnderTest } from "../../helpers/backends-under-test.js";
import { callsOf } from "../../helpers/ways-in.js";

const each = 10;
const indices = Array.from({ length: each }, (_, index) => index);
const file = "/2026/01/15.md";
const createMark = (dialect: string, index: number): string => `<${dialect} ${index}>`;
const numbered = (dialect: string): string[] => indices.map((index) => createMark(dialect, index));

describe.each(backendsUnderTest())("dialects at once on %s", (_name, backend) => {
  it("in one file lose nothing: appends, updates, edits, inserted lines, new and changed blocks", async () => {
    const address = freshAddress();
    const open = () => backend.open(address);
    const seed = callsOf.journal(open());
    for (const index of indices) await seed("memory_write", { key: `old ${index}`, content: "old" });
    const toReplace = ["update", "claude", "edit"]
      .flatMap((dialect) => indices.map((index) => `[${dialect} ${index}]\n`))
      .join("");
    await open().append(file, toReplace);

    const [unified, claude, journal, program] = [
      callsOf.unified(open()),
      callsOf.claude(open()),
      callsOf.journal(open()),
      open(),
    ];
    const path = `/memories${file}`;
    await Promise.all(
      indices.flatMap((index) => [
        unified("memory", { command: "append", path: file, content: createMark("appended", index) }),
        unified("memory", {
          command: "update",
          path: file,
          oldContent: `[update ${index}]`,
          content: createMark("update", index),
        }),
        claude("memory", {
          command: "str_replace",
          path,
          old_str: `[claude ${index}]`,
          new_str: createMark("claude", index),
        }),
        claude("memory", {
          command: "insert",
          path,
          insert_line: 0,
          insert_text: `${createMark("inserted", index)}\n`,
        }),
        journal("memory_write", { key: `new ${index}`, content: createMark("written", index) }),
        journal("memory_update", { key: `old ${index}`, content: createMark("updated", index) }),
        program.edit(file, (text) => text.replace(`[edit ${index}]`, createMark("edit", index))),
        program.append(file, createMark("program", index)),
      ]),
    );

    const text = await open().read(file);
    const dialects = ["appended", "update", "claude", "inserted", "written", "updated", "edit", "program"];
    const marks = [...text.matchAll(/<\w+ \d+>/g)].map(([mark]) => mark);
    expect(marks.toSorted()).toEqual(dialects.flatMap(numbered).toSorted());
    expect(text).not.toMatch(/\[\w+ \d+\]/);
    const { data } = JSON.parse(await journal("memory_search", { query: "", limit: 100 })) as {
      data: { results: { key: string; content: string }[] };
    };
    const found = Object.fromEntries(data.results.map(({ key, content }) => [key, content]));
    const expected = indices.flatMap((index) => [
      [`new ${index}`, createMark("written", index)],
      [`old ${index}`, createMark("updated", index)],
    ]);
    expect(found).toEqual(Object.fromEntries(expected));
  });

  it("create one path once, whichever is first", async () => {
    const address = freshAddress();
    const open = () => backend.open(address);
    const [claude, records, program] = [callsOf.claude(open()), callsOf.records(open()), open()];
    const creations: [text: string, run: () => Promise<unknown>][] = indices.flatMap(
      (index): [string, () => Promise<unknown>][] => [
        [
          createMark("claude", index),
          () =>
            claude("memory", {
              command: "create",
              path: "/memories/project/todo",
              file_text: createMark("claude", index),
            }),
        ],
        [
          createMark("records", index),
          () => records("add_memory", { path: "project/todo", content: createMark("records", index) }),
        ],
        [
          createMark("program", index),
          () => program.write("/project/todo", createMark("program", index), { ifExists: "fail" }),
        ],
      ],
    );
    const outcomes = await Promise.allSettled(creations.map(([, run]) => run()));
    const winners = creations.filter((_, index) => outcomes[index]?.status === "fulfilled").map(([text]) => text);
    expect(winners).toEqual([await open().read("/project/todo")]);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
    expect(refusals.filter((refusal) => !/MEMORY_ALREADY_EXISTS|already exists/.test(refusal))).toEqual([]);
  });

  it("replaced whole by records while others add: the file is one whole text with what came after it", async () => {
    const address = freshAddress();
    const open = () => backend.open(address);
    await open().write("/a", "[first]");
    const [unified, records] = [callsOf.unified(open()), callsOf.records(open())];
    await Promise.all(
      indices.flatMap((index) => [
        records("replace_memory", { path: "a", content: `[${"whole ".repeat(50)}${index}]` }),
        unified("memory", { command: "append", path: "/a", content: createMark("appended", index) }),
      ]),
    );
    expect(await open().read("/a")).toMatch(/^\[(whole ){50}\d\](\n<appended \d>)*$/);
  });
});
