import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { openMemory } from "../../../../src/open-memory.js";
import { JournalBench } from "../../../helpers/journal-scenario.js";

const today = "/2026/01/15.md";
const block = (key: string, content: string): string =>
  `### ${key}\n\n${content}\n\n<!-- agentool-memory: at=2026-01-16T00:00:00+00:00 -->\n\n`;

/** The files of the index, by path. */
async function indexOf({ memory }: JournalBench): Promise<Map<string, string>> {
  const { files } = await memory.snapshot();
  return new Map(files.filter(({ path }) => path.includes("/.journal/")).map(({ path, content }) => [path, content]));
}

async function indexText(bench: JournalBench): Promise<string> {
  return Array.from((await indexOf(bench)).values()).join("");
}

async function benchWith(...keys: string[]): Promise<JournalBench> {
  const bench = new JournalBench();
  for (const key of keys) await bench.call("memory_write", { key, content: `of ${key}` });
  return bench;
}

const success = expect.objectContaining({ success: true });
const exists = { success: false, error: { code: "MEMORY_KEY_EXISTS", message: expect.any(String) } };
const missing = { success: false, error: { code: "MEMORY_KEY_NOT_FOUND", message: expect.any(String) } };

describe("the key index", () => {
  it("is one short line for each key, in hidden files that are no Markdown", async () => {
    const index = await indexOf(await benchWith("a", "b", "c"));
    expect(Array.from(index.values()).join("").match(/\n/g)).toHaveLength(3);
    for (const [path, text] of index) {
      expect(path).toMatch(/^\/\.journal\/[0-9a-f]{2}$/);
      expect(text).toMatch(/^(?:[\w-]{12} [0-9a-z]{16,17} 2026\/01\/15\.md\n)+$/);
    }
  });

  it("leaves no trace of a refused write", async () => {
    const bench = await benchWith("a");
    const before = await indexText(bench);
    expect(await bench.call("memory_write", { key: "a", content: "again", target: "summary" })).toEqual(exists);
    expect(await indexText(bench)).toBe(before);
  });

  it("frees a key at once whose block a hand took away, and forgets it", async () => {
    const bench = await benchWith("a", "b");
    await bench.memory.delete(today);
    expect(await bench.call("memory_read", { key: "a" })).toEqual(missing);
    expect(await bench.call("memory_write", { key: "a", content: "new" })).toEqual(success);
    await bench.call("memory_write", { key: "c", content: "" });
    expect((await indexText(bench)).match(/\n/g)).toHaveLength(2);
  });

  // Requirement: journal.index-is-not-believed, journal.key-exists
  it("is not believed where a hand renamed a key, moved it to another file or removed the index", async () => {
    const bench = await benchWith("a", "b", "c");
    await bench.memory.update(today, "### a", "### renamed");
    expect(await bench.call("memory_read", { key: "a" })).toEqual(missing);
    expect(await bench.call("memory_write", { key: "renamed", content: "" })).toEqual(exists);
    await bench.memory.withPaths("posix").rename(today, "/2025/12/31.md");
    expect(await bench.call("memory_read", { key: "b" })).toMatchObject({
      data: { file: "2025/12/31.md", content: "of b" },
    });
    await bench.memory.delete("/.journal");
    expect(await bench.call("memory_write", { key: "c", content: "" })).toEqual(exists);
    expect(await bench.call("memory_read", { key: "c" })).toMatchObject({ data: { content: "of c" } });
    await bench.call("memory_write", { key: "d", content: "" });
    expect((await indexText(bench)).match(/2025\/12\/31\.md/g)).toHaveLength(3);
  });

  it("is told of every key by the next write", async () => {
    const bench = new JournalBench();
    await bench.put("/2025/01/01.md", block("x", "1") + block("y", "2"));
    await bench.put("/2025/01/02.md", block("y", "3"));
    expect(await bench.call("memory_read", { key: "x" })).toMatchObject({ data: { content: "1" } });
    expect(await bench.call("memory_write", { key: "z", content: "" })).toEqual(success);
    expect((await indexText(bench)).match(/ 0 2025\/01\/0[12]\.md\n/g)).toHaveLength(3);
    expect(await bench.call("memory_read", { key: "y" })).toMatchObject({
      data: { content: "3", duplicates: ["2025/01/01.md"] },
    });
  });

  // Requirement: journal.canonical-everywhere
  it.each(["a", "Zürich", "日本語", "x".repeat(100)])(
    "hides no newer block of %p in another daily file: read and update take the same one",
    async (key) => {
      const bench = await benchWith(key);
      await bench.put("/2025/12/30.md", block(key.normalize("NFD"), "by hand"));
      expect(await bench.call("memory_read", { key })).toMatchObject({
        data: { content: "by hand", file: "2025/12/30.md", duplicates: ["2026/01/15.md"] },
      });
      bench.now = new Date("2026-01-17T00:00:00Z");
      expect(await bench.call("memory_update", { key, content: "updated" })).toMatchObject({
        data: { path: "2025/12/30.md" },
      });
      expect(await bench.call("memory_read", { key })).toMatchObject({
        data: { content: "updated", file: "2025/12/30.md" },
      });
    },
  );

  // Requirement: journal.summary-first
  it("never hides a block in the summary", async () => {
    const bench = await benchWith("a");
    await bench.put("/MEMORY.md", "### a\n\nby hand\n");
    expect(await bench.call("memory_read", { key: "a" })).toMatchObject({
      data: { content: "by hand", kind: "summary" },
    });
  });

  // Requirement: journal.index-is-not-believed
  it("may hold anything", async () => {
    const bench = await benchWith("a");
    const [[part = "", line = ""] = []] = await indexOf(bench);
    const hash = line.slice(0, 12);
    const lies = ["../../etc/passwd", "/.journal/x.md", "notes.txt", "missing.md", "", "%2e%2e/x.md"];
    await bench.put(part, `garbage\n\0\n${lies.map((file) => `${hash} 0 ${file}\n`).join("")}${line}no end`);
    expect(await bench.call("memory_read", { key: "a" })).toMatchObject({ data: { content: "of a" } });
    expect(await bench.call("memory_write", { key: "a", content: "" })).toEqual(exists);
    expect(await bench.call("memory_update", { key: "a", content: "new" })).toEqual(success);
  });
});

describe("a claim", () => {
  let nowMs = 0;

  /** A clock that stands still: a claim grows old when the test says so, not on a busy machine. */
  beforeEach(() => {
    nowMs = Date.now();
    jest.spyOn(Date, "now").mockImplementation(() => nowMs);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** As another process leaves it that has just begun to write the key. */
  async function claimed(): Promise<{ bench: JournalBench; part: string; hash: string }> {
    const bench = await benchWith("a");
    const [[part = "", line = ""] = []] = await indexOf(bench);
    await bench.memory.delete(today);
    const hash = line.slice(0, 12);
    await bench.put(part, `${hash} ${nowMs.toString(36)}01234567 2026/01/15.md\n`);
    return { bench, part, hash };
  }

  // Requirement: journal.dead-writers-pass
  it("of a writer that died is waited for, then passed over", async () => {
    const { bench } = await claimed();
    let isPassedOver = false;
    const mine = bench.call("memory_write", { key: "a", content: "mine" }).finally(() => (isPassedOver = true));
    await sleep(500);
    expect(isPassedOver).toBe(false);
    nowMs += 10_001;
    expect(await mine).toEqual(success);
  });

  it("of a writer whose block then comes makes the key taken", async () => {
    const { bench } = await claimed();
    const mine = bench.call("memory_write", { key: "a", content: "mine" });
    await bench.put(today, block("a", "theirs"));
    expect(await mine).toEqual(exists);
    expect(await bench.call("memory_read", { key: "a" })).toMatchObject({ data: { content: "theirs" } });
  });

  it("holds up no other key", async () => {
    const { bench } = await claimed();
    // By this clock it would be held up for ever.
    expect(await bench.call("memory_write", { key: "b", content: "" })).toEqual(success);
  });

  it("is taken back where the memory refuses the block", async () => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "small" }, { maxFileBytes: 300 });
    const bench = new JournalBench("/", memory);
    const answer = await bench.call("memory_write", { key: "a", content: "x".repeat(300) });
    expect(answer).toMatchObject({
      error: { code: "MEMORY_STORAGE_ERROR", message: expect.stringContaining("EFBIG") },
    });
    expect(await indexText(bench)).toBe("");
    expect(await bench.call("memory_write", { key: "a", content: "x" })).toEqual(success);
  });
});

describe("parallel calls in one process, on a generic store", () => {
  // Requirement: journal.key-accepted-once, journal.on-every-store
  it("accept a key once and lose no other", async () => {
    const bench = new JournalBench();
    const same = Array.from({ length: 20 }, () => bench.call("memory_write", { key: "same", content: "" }));
    const others = Array.from({ length: 20 }, (_, index) =>
      bench.call("memory_write", { key: `k${index}`, content: "" }),
    );
    const answers = await Promise.all([...same, ...others]);
    expect(answers.filter((answer) => answer.success)).toHaveLength(21);
    expect(
      Object.values(await bench.files())
        .join("")
        .match(/^### /gm),
    ).toHaveLength(21);
  });
});
