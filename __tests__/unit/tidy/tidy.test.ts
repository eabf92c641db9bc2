import { InMemoryStore } from "@langchain/langgraph";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { type Memory, mountMemories, openMemory, tidy, type TidyFinding } from "../../../src/index.js";
import { untyped } from "../../helpers/memory-case.js";

async function memoryWith(files: Record<string, string>, nodeId = "assistant"): Promise<Memory> {
  const memory = openMemory(new InMemoryStore(), { nodeId }, { paths: "posix" });
  for (const [path, content] of Object.entries(files)) await memory.write(path, content);
  return memory;
}

async function find(files: Record<string, string>, options?: Parameters<typeof tidy>[1]): Promise<TidyFinding[]> {
  return tidy(await memoryWith(files), options);
}

afterEach(() => {
  jest.useRealTimers();
});

const kindsAt = (findings: TidyFinding[]): string[] =>
  findings.map(({ path, line, kind }) => `${kind} ${path}${line === null ? "" : `:${line}`}`);

describe("tidy", () => {
  it("finds nothing in an empty memory and in tidy notes", async () => {
    expect(await find({})).toEqual([]);
    const files = {
      "/profile.md":
        "---\ndescription: who\nstale_after: 2999-01-01\n---\n# Ada\n- likes tea\n- see [home](notes/home.md#way)\n",
      "/notes/home.md": "Back to [the profile](../profile.md), [[profile]] and https://example.org/a.md\n",
    };
    expect(await find(files)).toEqual([]);
  });

  it("changes nothing", async () => {
    const memory = await memoryWith({ "/a.md": "", "/b.md": "- one\n- one\n" });
    const before = await memory.snapshot();
    await tidy(memory);
    expect(await memory.snapshot()).toEqual(before);
  });

  it("finds a line that stands twice below the same heading", async () => {
    const found = await find({ "/a.md": "# Ada\n- likes tea\n- rides\n* likes tea\n- likes tea\n" });
    expect(found).toEqual([
      {
        kind: "duplicate",
        path: "/a.md",
        line: 4,
        count: 2,
        message: "the line repeats line 2 of /a.md; 1 more lines are repeated so",
      },
    ]);
  });

  it.each([
    ["below other headings", "# Ada\n- likes tea\n# Bob\n- likes tea\n"],
    ["below the same heading of another chapter", "# Ada\n## Drinks\n- likes tea\n# Bob\n## Drinks\n- likes tea\n"],
    ["indented, so that they belong to the line above", "- Ada\n  - likes tea\n- Bob\n  - likes tea\n"],
    ["with lines below that belong to them", "- drinks\n  - tea\n- drinks\n  - milk\n"],
    ["that introduce others", "Reasons:\nwarm\nReasons:\ncheap\n"],
    ["of code", "```\nlet a;\nlet a;\n```\n"],
    ["of front matter", "---\nsame text\nsame text\n---\nrest\n"],
    ["that are marks only", "---\nrest\n---\nmore\n---\n"],
    ["below other underlined headings", "Ada\n===\n- likes tea\n\nBob\n===\n- likes tea\n"],
    ["below other bold lines", "**Ada**\n- likes tea\n\n**Bob**\n- likes tea\n"],
    ["below other lines with a colon", "Ada:\n- likes tea\n\nBob:\n- likes tea\n"],
    ["of tables", "| name | age |\n|---|---|\n| Ada | 3 |\n\n| name | age |\n|---|---|\n| Ada | 3 |\n"],
    ["of tables without outer bars", "name\n--- | ---\nAda\n\nname\n--- | ---\nBob\n"],
    ["above code", "then run\n```\na\n```\nthen run\n```\nb\n```\n"],
    ["of code with code in it", "````\n```\nlet a;\nlet a;\n```\n````\n"],
    ["that define a link", "[a]: /b/c/d.md\n\n[a]: /b/c/d.md\n"],
    ["whose numbers differ", "- met Bob on 3 May\n- met Bob on 4 May\n"],
  ])("takes lines for different ones: %s", async (_name, content) => {
    expect(await find({ "/a.md": content })).toEqual([]);
  });

  it("takes lines for equal that differ in case, accents, blanks and punctuation at their ends", async () => {
    const found = await find({ "/a.md": "- Likes green tea.\n- likes  GREEN téa\n" });
    expect(found).toMatchObject([{ kind: "duplicate", line: 2 }]);
  });

  it.each([
    ["load > 5", "load < 5"],
    ["likes C", "likes C++"],
    ["likes C", "likes C#"],
    ["at 50 %", "at 50"],
    ["-5", "5"],
    ["🎉🎉🎉", "🚀🚀🚀"],
    ["कि", "का"],
    ["5 * 3", "5 + 3"],
    ["it's here", "its here"],
  ])("takes %j and %j for different texts", async (one, other) => {
    expect(await find({ "/a.md": `- ${one}\n- ${other}\n` })).toEqual([]);
    expect(await find({ "/a.md": one, "/b.md": other })).toEqual([]);
  });

  it("reports long lines that stand in another file, and leaves short ones alone", async () => {
    const long = "Ada moved from Berlin to Oslo in May.";
    const found = await find({ "/a.md": `${long}\nlikes tea\n`, "/b.md": `likes tea\n${long}\n` });
    expect(found).toEqual([
      {
        kind: "duplicate",
        path: "/b.md",
        line: 2,
        count: 1,
        message: "the line repeats line 1 of /a.md",
      },
    ]);
  });

  it.each([
    ["with a link that leads elsewhere there", "the next part of the trip is [here](b.md)"],
    ["that define a link", "[trip]: https://example.org/a/b/c/d/e"],
  ])("leaves a long line alone in another directory: %s", async (_name, line) => {
    const other = { "/x/b.md": "the trip", "/y/b.md": "another trip" };
    expect(await find({ ...other, "/x/a.md": `one\n${line}\n`, "/y/a.md": `two\n${line}\n` })).toEqual([]);
  });

  it("reads lines and links of notes only", async () => {
    const code = "handlers[name](event);\nimport { MongoMemoryStore, tidy, learn } from 'langgraph';\n";
    expect(await find({ "/a.ts": code, "/b.ts": `let b;\n${code}`, "/c": "a note\n" })).toEqual([]);
  });

  it("finds files with the same text, without their lines", async () => {
    const text = "Ada moved from Berlin to Oslo in May.\n";
    const found = await find({ "/a.md": text, "/b.md": `${text}\n`, "/c.md": text.toUpperCase() });
    expect(found.map(({ path, kind, line }) => [path, kind, line])).toEqual([
      ["/b.md", "duplicate", null],
      ["/c.md", "duplicate", null],
    ]);
  });

  it("takes no stale note for the place where a repeated text stays", async () => {
    const long = "Ada moved from Berlin to Oslo in May.";
    const stale = `---\nstale_after: 2020-01-01\n---\n${long}\n`;
    expect(kindsAt(await find({ "/a.md": stale, "/b.md": `${long}\n` }))).toEqual(["stale /a.md"]);
  });

  it("finds links to files that are not there", async () => {
    const found = await find({
      "/notes/a.md":
        "[x](gone.md)\n[up](../../outside.md) and [[Nowhere|there]]\n`[code](gone.md)`\n[ok](/notes/b)\n[dir](/notes/)\n",
      "/notes/b.md": "[a](./a.md?x#y) [mail](mailto:a@b.c) [here](#part) [blank](my%20note.md)",
      "/notes/c.md": "[blank](<my note.md>) [draft](plan_(draft).md) [gone](<other note.md>) [gone](plan_(final).md)",
      "/notes/my note.md": "here",
      "/notes/plan_(draft).md": "there",
    });
    expect(found.map(({ path, line, message }) => [path, line, message])).toEqual([
      ["/notes/a.md", 1, "a link to gone.md, which does not exist"],
      ["/notes/a.md", 2, "a link to ../../outside.md, which does not exist"],
      ["/notes/a.md", 2, "a link to Nowhere, which does not exist"],
      ["/notes/c.md", 1, "a link to other note.md, which does not exist"],
      ["/notes/c.md", 1, "a link to plan_(final).md, which does not exist"],
    ]);
  });

  it.each([
    ["code between two marks", "`` [b](gone.md) ``"],
    ["brackets that are no marks", "\\[not a link\\](gone.md)"],
    ["a wiki link in a table", "| [[b\\|the words]] |"],
  ])("finds no dead link in %s", async (_name, line) => {
    expect(await find({ "/a.md": `${line}\n`, "/b.md": "there" })).toEqual([]);
  });

  it("finds empty and large files", async () => {
    const found = await find(
      { "/empty.md": " \n", "/large.md": "x".repeat(11), "/right.md": "y".repeat(10) },
      { maxChars: 10 },
    );
    expect(kindsAt(found)).toEqual(["empty /empty.md", "large /large.md"]);
  });

  it("finds notes past the date that they state, and reads a date as its whole day", async () => {
    const note = (date: string): string => `---\nstale_after: ${date}\n---\n${date} text`;
    const files = {
      "/day.md": note("2026-05-03"),
      "/hour.md": note("2026-05-03T10:00"),
      "/never.md": note("2026-99-99"),
      "/text.md": "stale_after: 2020-01-01",
    };
    jest.useFakeTimers({ now: new Date("2026-05-03T10:00:00Z"), advanceTimers: true });
    expect(kindsAt(await find(files))).toEqual(["stale /hour.md"]);
    jest.setSystemTime(new Date("2026-05-04T00:00:00Z"));
    expect(kindsAt(await find(files))).toEqual(["stale /day.md", "stale /hour.md"]);
  });

  it("finds hidden characters, and leaves those that a text needs", async () => {
    const found = await find({
      "/a.md": "fine\nhid\u200bden \u202e\n",
      "/family.md": "\uFEFF👨‍👩‍👧 می‌خواهم\r\nnext\r\n",
    });
    expect(found).toMatchObject([
      { path: "/a.md", kind: "hidden", line: 2, count: 1, message: "hidden characters: \\u200b" },
    ]);
  });

  it("leaves out logs, the archive, and what it is told to ignore", async () => {
    const files = { "/conversations/2026-05-03.md": "", "/archive/a.md": "", "/drafts/a.md": "" };
    expect(kindsAt(await find(files))).toEqual(["empty /drafts/a.md"]);
    expect(kindsAt(await find(files, { ignore: ["/drafts/**"] }))).toEqual([
      "empty /archive/a.md",
      "empty /conversations/2026-05-03.md",
    ]);
  });

  it("looks through a tree of mounts by its paths", async () => {
    const [own, team] = [
      await memoryWith({ "/a.md": "[team](/team/rules.md)" }),
      await memoryWith({ "/rules.md": "" }, "team"),
    ];
    expect(kindsAt(await tidy(mountMemories({ "/": own, "/team": team })))).toEqual(["empty /team/rules.md"]);
  });

  it("compares no text of one memory of a tree with those of another", async () => {
    const long = "Ada moved from Berlin to Oslo in May.";
    const own = await memoryWith({ "/a.md": `${long}\n`, "/b.md": `mine\n${long}\n` });
    const team = await memoryWith({ "/a.md": `${long}\n`, "/b.md": "[a](/a.md)" }, "team");
    expect(kindsAt(await tidy(mountMemories({ "/": own, "/team": team })))).toEqual(["duplicate /b.md:2"]);
  });

  it("ends when its signal aborts", async () => {
    const memory = await memoryWith({ "/a.md": "text" });
    await expect(tidy(memory, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });

  it.each([{ maxChars: 0 }, { ignore: ["/a[b]"] }, { ignore: "/a" }, { wrong: 1 }])("refuses %j", async (options) => {
    await expect(find({}, untyped(options))).rejects.toThrow(TypeError);
  });

  it.each([
    ["equal lines", "- the same note\n".repeat(60_000)],
    ["headings", "# a\n".repeat(250_000)],
    ["one long heading above many lines", `# ${"a".repeat(400_000)}\n${"## b\n- note\n".repeat(40_000)}`],
    ["brackets", "[".repeat(1_000_000)],
    ["open links", "](".repeat(400_000)],
    ["open parentheses in links", "](x(y".repeat(200_000)],
    ["open wiki links", "[[a".repeat(300_000)],
    ["backquotes", "`a".repeat(400_000)],
    ["hidden characters", "\u200b".repeat(300_000)],
    ["front matter without an end", `---\n${"- - -\n".repeat(160_000)}`],
  ])("takes linear time for %s", async (_name, content) => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "a" }, { paths: "posix", maxFileBytes: 2_000_000 });
    await memory.write("/a.md", content);
    // Bounded by jest's limit of time: anything quadratic takes minutes.
    expect((await tidy(memory)).length).toBeLessThan(400_100);
  });

  it("looks through 100,000 files", async () => {
    const files = Array.from({ length: 100_000 }, (_, index) => ({
      kind: "file" as const,
      path: `/notes/${index}.md`,
      content: index % 1000 === 0 ? "" : `note ${index}\n`,
      sizeBytes: 0,
      createdAt: new Date(0),
      updatedAt: new Date(0),
    }));
    const snapshot = async () => ({ files, directories: ["/notes"], revision: null });
    expect(await tidy(untyped({ snapshot, outline: snapshot }))).toHaveLength(100);
  });
});
