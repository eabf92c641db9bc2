import { beforeAll, describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { openMemory } from "../../../src/index.js";

const memory = openMemory(new InMemoryStore(), { nodeId: "search" });
const backend = new DeepAgentsBackend(memory);

beforeAll(async () => {
  await memory.append("/empty/x", "");
  await memory.delete("/empty/x");
  await backend.write("/b.md", "ä needle\nneedle again\n");
  await backend.write("/a/one.md", "hay\nneedle");
  await backend.write("/a/two.txt", "needle");
  await backend.write("/ab", "needle");
});

describe("ls", () => {
  it("shows sizes in bytes, directories with a slash at their end, and nothing deeper", async () => {
    expect(await backend.ls("/")).toEqual({
      files: [
        { path: "/a/", is_dir: true, size: 0 },
        { path: "/ab", is_dir: false, size: 6 },
        { path: "/b.md", is_dir: false, size: 23 },
        { path: "/empty/", is_dir: true, size: 0 },
      ],
    });
  });

  it.each(["/a", "/a/", "a", "//a//"])("takes %s for the same directory", async (path) => {
    expect((await backend.ls(path)).files?.map((file) => file.path)).toEqual(["/a/one.md", "/a/two.txt"]);
  });

  it("takes the empty path for the root", async () => {
    expect((await backend.ls("")).files).toHaveLength(4);
  });

  it.each(["/empty", "/none", "/ab"])("shows nothing in %s", async (path) => {
    expect(await backend.ls(path)).toEqual({ files: [] });
  });
});

describe("glob", () => {
  it("finds files only, sorted by path", async () => {
    expect(await backend.glob("**")).toEqual({
      files: [
        { path: "/a/one.md", is_dir: false, size: 10 },
        { path: "/a/two.txt", is_dir: false, size: 6 },
        { path: "/ab", is_dir: false, size: 6 },
        { path: "/b.md", is_dir: false, size: 23 },
      ],
    });
  });

  it("compares from the given directory on", async () => {
    expect((await backend.glob("*.md", "/a")).files?.map(({ path }) => path)).toEqual(["/a/one.md"]);
    expect((await backend.glob("a/*.md", "/a")).files).toEqual([]);
  });

  it.each(["", "/"])("refuses the pattern %j", async (pattern) => {
    expect(await backend.glob(pattern)).toEqual({ error: "invalid glob pattern: it is empty" });
  });

  it("refuses a pattern that is longer than a path", async () => {
    expect(await backend.glob("x".repeat(1025))).toEqual({
      error: "invalid glob pattern: longer than 1024 characters",
    });
  });
});

describe("grep", () => {
  const found = async (...query: Parameters<DeepAgentsBackend["grep"]>): Promise<string[] | undefined> =>
    (await backend.grep(...query)).matches?.map(({ path, line, text }) => `${path}:${line}:${text}`);

  it("answers lines by path and number", async () => {
    expect(await found("needle")).toEqual([
      "/a/one.md:2:needle",
      "/a/two.txt:1:needle",
      "/ab:1:needle",
      "/b.md:1:ä needle",
      "/b.md:2:needle again",
    ]);
  });

  it("looks in a directory, not in one whose name begins alike, and among names", async () => {
    expect(await found("needle", "/a")).toEqual(["/a/one.md:2:needle", "/a/two.txt:1:needle"]);
    expect(await found("needle", "/", "*.md")).toEqual([
      "/a/one.md:2:needle",
      "/b.md:1:ä needle",
      "/b.md:2:needle again",
    ]);
    expect(await found("needle", "/", "/*.md")).toEqual(["/b.md:1:ä needle", "/b.md:2:needle again"]);
    expect(await found("needle", "/", "")).toHaveLength(5);
  });

  it("stops at the given number of matches over all files, and says so", async () => {
    expect(await backend.grep("needle", "/", null, 2)).toEqual({
      matches: [
        { path: "/a/one.md", line: 2, text: "needle" },
        { path: "/a/two.txt", line: 1, text: "needle" },
      ],
      truncated: true,
    });
    expect(await backend.grep("needle", "/", null, 5)).not.toHaveProperty("truncated");
  });

  it.each(["+(a)b", "*(a|b)", "a?(b)", "@(a|b)", "!(a)", "a*!(b)", "{a,+(b)}", "**(a)"])(
    "refuses %s, a group that only extended globs have",
    async (pattern) => {
      const reason =
        /^invalid glob pattern: groups such as [@?*+!]\(…\) are not supported; write \{a,b\} for either of two$/;
      expect(await backend.glob(pattern)).toEqual({ error: expect.stringMatching(reason) });
      expect((await backend.grep("x", "/", pattern)).error).toContain("Error: invalid glob pattern: groups such as");
    },
  );

  it("takes other parentheses for plain text", async () => {
    const names = new DeepAgentsBackend(openMemory(new InMemoryStore(), { nodeId: "parentheses" }));
    await names.write("/notes (old).md", "x");
    for (const pattern of ["notes (old).md", "notes (*", "* (old).*", "notes \\(old).md", "n*\\(old).md"])
      expect((await names.glob(pattern)).files?.map(({ path }) => path)).toEqual(["/notes (old).md"]);
  });

  // As regular expressions, which deepagents' own backends make of them, these take from minutes to longer than anyone
  // waits.
  it.each([
    "*a*a*a*a/*a*a*a*ab",
    "*a".repeat(500) + "b",
    "**/".repeat(300) + "b",
    "{a,aa}".repeat(100) + "b",
    "{,a}".repeat(200) + "b",
    "*.*a*a*a*{a,*a*a}b",
  ])("comes to an end with %s among long names (%#)", async (pattern) => {
    const long = new DeepAgentsBackend(openMemory(new InMemoryStore(), { nodeId: "long" }));
    const name = "a".repeat(250);
    await long.write(`/${name}/${name}/${name}`, "x");
    await long.write(`/${name}`.repeat(2), "x");
    await long.write(`/${name.slice(1)}`, "x");
    expect((await long.glob(pattern)).files).toEqual([]);
  });

  it("tells the model what is wrong with a path or a pattern", async () => {
    expect(await backend.grep("x", "/../a")).toEqual({ error: 'Error: invalid path: ".." not allowed' });
    expect((await backend.grep("x", "/", "/")).error).toBe("Error: invalid glob pattern: it is empty");
  });
});
