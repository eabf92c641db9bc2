import { InMemoryStore } from "@langchain/langgraph";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { type Memory, mountMemories, openMemory, tidy, type TidyFinding } from "../../../src/index.js";
import { freshMemory } from "../../helpers/fresh-memory.js";
import { untyped } from "../../helpers/memory-case.js";
import { quote, readMarked, testTranscript } from "../../helpers/transcripts.js";

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

describe("tidy answers as its transcript says", () => {
  testTranscript("tidy", async (given) => {
    const memory = await memoryWith(readMarked(given, "+") as Record<string, string>);
    const findings = await tidy(memory, readMarked(given, "options"));
    return [...given, ...findings.map((finding) => `| ${quote(finding)}`)];
  });
});

describe("tidy", () => {
  it("changes nothing", async () => {
    const memory = await memoryWith({ "/a.md": "", "/b.md": "- one\n- one\n" });
    const before = await memory.snapshot();
    await tidy(memory);
    expect(await memory.snapshot()).toEqual(before);
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
    ["equal lines", "- the same note\n".repeat(15_000)],
    ["headings", "# a\n".repeat(60_000)],
    ["one long heading above many lines", `# ${"a".repeat(100_000)}\n${"## b\n- note\n".repeat(10_000)}`],
    ["brackets", "[".repeat(250_000)],
    ["open links", "](".repeat(100_000)],
    ["open parentheses in links", "](x(y".repeat(50_000)],
    ["open wiki links", "[[a".repeat(75_000)],
    ["backquotes", "`a".repeat(100_000)],
    ["hidden characters", "\u200b".repeat(75_000)],
    ["front matter without an end", `---\n${"- - -\n".repeat(40_000)}`],
  ])("takes linear time for %s", async (_name, content) => {
    const memory = freshMemory({ paths: "posix" });
    await memory.write("/a.md", content);
    // Bounded by jest's limit of time: anything quadratic takes minutes.
    expect((await tidy(memory)).length).toBeLessThan(100_100);
  });

  it("looks through 20,000 files", async () => {
    const files = Array.from({ length: 20_000 }, (_, index) => ({
      kind: "file" as const,
      path: `/notes/${index}.md`,
      content: index % 1000 === 0 ? "" : `note ${index}\n`,
      sizeBytes: 0,
      createdAt: new Date(0),
      updatedAt: new Date(0),
    }));
    const snapshot = async () => ({ files, directories: ["/notes"], revision: null });
    expect(await tidy(untyped({ snapshot, outline: snapshot }))).toHaveLength(20);
  });
});
