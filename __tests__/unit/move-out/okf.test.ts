import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { type Memory, openMemory } from "../../../src/index.js";
import { moveIn } from "../../../src/move-in/index.js";
import { createBundle } from "../../../src/move-out/okf-bundle.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { findOkfFaults } from "../../helpers/okf-rules.js";
import { readAll } from "../../helpers/read-all.js";

type Tree = Record<string, string>;

const store = new InMemoryStore();

async function createMemory(files: Tree = {}): Promise<Memory> {
  const memory = openMemory(store, freshAddress());
  for (const [path, content] of Object.entries(files)) await memory.write(path, content);
  return memory;
}

async function readTree(memory: Memory): Promise<Tree> {
  const { files } = await memory.snapshot();
  return Object.fromEntries(files.map(({ path, content }) => [path, content]));
}

/** Writes a memory into a folder as a bundle, checks the bundle, and reads it into an empty memory. */
async function moveThroughFolder(files: Tree): Promise<{ bundle: Tree }> {
  const dir = await mkdtemp(join(tmpdir(), "okf-"));
  try {
    const bundle = await readAll(createBundle(await createMemory(files)));
    expect(findOkfFaults(bundle)).toEqual([]);
    const folder = openDirectoryMemory({ dir });
    for (const { path, content } of bundle) await folder.write(path, content, { ifExists: "fail" });
    const memory = await createMemory();
    const report = await moveIn(memory, { from: "okf", source: dir });
    expect(report.losses.filter(({ what }) => !/\/(?:index|log)\.md$/.test(what))).toEqual([]);
    const tree = await readTree(memory);
    expect(tree).toEqual(files);
    return { bundle: Object.fromEntries(bundle.map(({ path, content }) => [path, content])) };
  } finally {
    await rm(dir, { recursive: true });
  }
}

describe("a bundle of OKF 0.2", () => {
  it("has valid sources for a text that moved in", async () => {
    const memory = await createMemory();
    const source = [JSON.stringify({ id: "a1", memory: "Likes tea", created_at: "2025-03-04T10:00:00Z" })];
    await moveIn(memory, { from: "mem0", source: Readable.from(source) });
    const bundle = await readAll(createBundle(memory));
    expect(bundle[0]?.content).toContain('\nsources: [{"resource":"mem0:a1"}]\n');
    expect(findOkfFaults(bundle)).toEqual([]);
  });

  it("has a concept with a type for each file, and an index of each directory", async () => {
    const { bundle } = await moveThroughFolder({ "/notes/today": "# Today\n\nTea.", "/a.md": "x" });
    expect(Object.keys(bundle)).toEqual(["/a.md", "/notes/today.md", "/index.md", "/notes/index.md"]);
    expect(bundle["/notes/today.md"]).toMatch(
      /^---\ntype: Note\nlanggraph_mongo_memory: \{"path":"\/notes\/today",.*\}\n---\n# Today\n\nTea\.$/,
    );
    expect(bundle["/index.md"]).toBe(
      '---\nokf_version: "0.2"\n---\n\n# Contents\n\n* [a.md](a.md) - x\n* [notes](notes/)\n',
    );
    expect(bundle["/notes/index.md"]).toBe("# Contents\n\n* [today](today.md) - # Today\n");
  });

  it("keeps the front matter that a file has, and adds only what is missing", async () => {
    const text = "---\ntype: Playbook\nstale_after: 2026-05-01T00:00:00Z # soon\n---\nSteps";
    const { bundle } = await moveThroughFolder({ "/a.md": text });
    expect(bundle["/a.md"]).toMatch(
      /^---\nlanggraph_mongo_memory: \{.*\}\ntype: Playbook\nstale_after: 2026-05-01T00:00:00Z # soon\n---\nSteps$/,
    );
  });

  it("is deprecated where a note was archived", async () => {
    const { bundle } = await moveThroughFolder({ "/archive/a.md": "old", "/b.md": "archive" });
    expect(bundle["/archive/a.md"]).toContain("\nstatus: deprecated\n");
    expect(bundle["/b.md"]).not.toContain("status");
  });

  it("gives names that no concept can have another name", async () => {
    const { bundle } = await moveThroughFolder({ "/index.md": "i", "/log": "l", "/Index": "I", "/con": "c" });
    expect(Object.keys(bundle)).toEqual(["/Index-2.md", "/_con.md", "/index-3.md", "/log-2.md", "/index.md"]);
  });

  it("of an empty memory is an index", async () => {
    const { bundle } = await moveThroughFolder({});
    expect(bundle).toEqual({ "/index.md": '---\nokf_version: "0.2"\n---\n\n# Contents\n\n\n' });
  });

  it("is the same each time", async () => {
    const memory = await createMemory({ "/A/x": "1", "/a/x": "2", "/a.md": "3", "/a:b": "4" });
    expect(await readAll(createBundle(memory))).toEqual(await readAll(createBundle(memory)));
  });
});

const names = ["a", "A", "a.md", "index.md", "log", "con", "a:b", ".git", "...x", "a ", "é", "🧠", "a\u2028b", "%2E"];
const paths = fc
  .array(fc.oneof(fc.constantFrom(...names.map((name) => name.trim())), fc.constant("n".repeat(255))), {
    minLength: 1,
    maxLength: 5,
  })
  .map((segments) => `/${segments.join("/")}`)
  .filter((path) => path.length <= 1024);
const pieces = [
  "---\n",
  "---\r\n",
  "--- \n",
  "\uFEFF",
  "type: Fact\n",
  "type: ''\n",
  "type: 3\n",
  "  a: 1\n",
  "a: [1\n",
  "sources: [{ resource: x }]\r\n",
  "status: draft\n",
  "{ a: 1 }\n",
  "a: |\n  b\n",
  "langgraph_mongo_memory: {}\n",
  'langgraph_mongo_memory: {"path":"/x","createdAt":"2020-01-01","updatedAt":"2020-01-01","own":true}\n',
  "text",
  "\r\n",
  "\n",
  "\0",
  "...\n",
  "# Log\n",
];
const someText = fc.array(fc.constantFrom(...pieces), { maxLength: 4 }).map((parts) => parts.join(""));
const texts = fc.oneof(
  someText,
  fc
    .tuple(fc.constantFrom("\n", "\r\n", " \n"), someText, someText)
    .map(([end, front, body]) => `---${end}${front}---${end}${body}`),
);
const trees = fc.dictionary(paths, texts, { maxKeys: 6 }).map(
  // Leaves out files that lie below another file.
  (given) =>
    Object.fromEntries(
      Object.entries(given).filter(([path]) => !Object.keys(given).some((each) => path.startsWith(`${each}/`))),
    ),
);

describe("moving out and in again", () => {
  it("gives the same tree, whatever its names and texts are", async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (files) => {
        await moveThroughFolder(files);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a bundle of another program", () => {
  async function moved(bundle: Tree): Promise<{ tree: Tree; losses: string[] }> {
    const dir = await mkdtemp(join(tmpdir(), "okf-"));
    const folder = openDirectoryMemory({ dir });
    for (const [path, content] of Object.entries(bundle)) await folder.write(path, content);
    const memory = await createMemory();
    const { losses } = await moveIn(memory, { from: "okf", source: dir, into: "/okf" });
    await rm(dir, { recursive: true });
    return { tree: await readTree(memory), losses: losses.map(({ what, why }) => `${what}: ${why}`) };
  }

  it("keeps its concepts with their front matter, and says that listings and logs are left out", async () => {
    const concept = "---\ntype: Metric\nsources:\n  - resource: https://x\n---\n\n# Definition\n";
    const { tree, losses } = await moved({
      "/index.md": '---\nokf_version: "0.2"\n---\n# A\n',
      "/metrics/revenue.md": concept,
      "/metrics/log.md": "# Log\n",
      "/attesters/sql.py": "print()",
    });
    expect(tree).toEqual({ "/okf/metrics/revenue.md": concept, "/okf/attesters/sql.py": "print()" });
    expect(losses).toEqual([
      "/index.md: it is a listing or a log of the bundle, and no concept",
      "/metrics/log.md: it is a listing or a log of the bundle, and no concept",
    ]);
  });

  const times = '"createdAt":"2020-01-01","updatedAt":"2020-01-01"';
  it.each([
    ["climbs", `{"path":"/../x",${times}}`],
    ["is encoded", `{"path":"/%2e%2e/x",${times}}`],
    ["is relative", `{"path":"x",${times}}`],
    ["is the root", `{"path":"/",${times}}`],
    ["is no text", `{"path":{"$ne":1},${times}}`],
    ["has a control character", `{"path":"/a\\u0000",${times}}`],
    ["has no time", '{"path":"/x"}'],
    ["has a time that is none", '{"path":"/x","createdAt":"x","updatedAt":"2020-01-01"}'],
    ["is too deep", `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`],
    ["is no JSON", "{path: /x}"],
  ])("stays in its place, whole, if its mark %s", async (_, mark) => {
    const text = `---\ntype: Note\nlanggraph_mongo_memory: ${mark}\n---\nx`;
    const { tree } = await moved({ "/a.md": text });
    expect(tree).toEqual({ "/okf/a.md": text });
  });

  it("goes nowhere outside the directory that receives it", async () => {
    const { tree } = await moved({
      "/a.md": `---\ntype: Note\nlanggraph_mongo_memory: {"path":"/b",${times}}\n---\nx`,
    });
    expect(tree).toEqual({ "/okf/b": "x" });
  });

  it("takes one of two concepts that name one path, and says so", async () => {
    const text = (body: string): string =>
      `---\ntype: Note\nlanggraph_mongo_memory: {"path":"/b",${times}}\n---\n${body}`;
    const { tree, losses } = await moved({ "/a.md": text("1"), "/c.md": text("2") });
    expect([tree, losses.length]).toEqual([{ "/okf/b": "1" }, 1]);
  });
});
