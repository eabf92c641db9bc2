import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type BackendProtocolV2, FilesystemBackend, StoreBackend } from "deepagents";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { openMemory } from "../../../src/index.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";

/** deepagents' own backends, beside ours over the same files. */
interface Backends {
  ours: BackendProtocolV2;
  store: BackendProtocolV2;
  disk: BackendProtocolV2;
}

type Files = Record<string, string>;

const roots: string[] = [];
afterAll(() => Promise.all(roots.map((root) => rm(root, { recursive: true }))));

async function backendsWith(files: Files): Promise<Backends> {
  const root = await mkdtemp(join(tmpdir(), "deepagents-differential-"));
  roots.push(root);
  const backends: Backends = {
    ours: new DeepAgentsBackend(openMemory(new InMemoryStore(), { nodeId: "differential" })),
    store: new StoreBackend({ store: new InMemoryStore(), namespace: ["differential"] }),
    disk: new FilesystemBackend({ rootDir: root, virtualMode: true }),
  };
  for (const backend of Object.values(backends) as BackendProtocolV2[]) {
    for (const [path, content] of Object.entries(files)) await backend.write(path, content);
  }
  return backends;
}

const tree: Files = {
  "/AGENTS.md": "# Agents\n\nBe brief.\n",
  "/.hidden": "secret needle\n",
  "/data/table.csv": "a,b\n1,2\n",
  "/data/deep/er/notes.md": "needle\nhay\nneedle needle",
  "/data/deep/config.json": "{}\n",
  "/data2/x": "not below /data\n",
  "/empty.txt": "",
  "/lines.txt": Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join("\n"),
  "/windows.txt": "one\r\ntwo\r\n",
  "/blank": "\n",
  "/page.svg": "<svg/>\n",
};

describe("beside deepagents' own backends", () => {
  let backends: Backends;
  beforeAll(async () => {
    backends = await backendsWith(tree);
  });

  const all = async <T>(run: (backend: BackendProtocolV2) => T): Promise<{ [Name in keyof Backends]: Awaited<T> }> => ({
    ours: await run(backends.ours),
    store: await run(backends.store),
    disk: await run(backends.disk),
  });

  const windows: [offset: number, limit: number][] = [
    [0, 500],
    [0, 5],
    [3, 4],
    [11, 1],
    [5, 100],
    [0, 0],
    [-3, 2.9],
    [1.7, 3],
    [Number.NaN, 2],
  ];
  const texts = Object.keys(tree).filter((path) => path !== "/empty.txt" && path !== "/blank");
  it.each(texts)("read of %s answers alike, whatever window of it", async (path) => {
    for (const [offset, limit] of windows) {
      const answers = await all((backend) => backend.read(path, offset, limit));
      expect(answers.ours).toEqual(answers.disk);
      // The store's shows an offset behind the end as an empty text, which the tool presents as a line.
      if (answers.disk.error === undefined) expect(answers.ours).toEqual(answers.store);
    }
  });

  it("read of an empty file is its text, as of the store's; the disk's reads the tool's reminder out as if it were the file", async () => {
    for (const path of ["/empty.txt", "/blank"]) {
      const answers = await all((backend) => backend.read(path));
      expect(answers.ours).toEqual(answers.store);
      expect(answers.disk.content).toBe("System reminder: File exists but has empty contents");
    }
  });

  it.each(["/none", "/data", "/data/none.md", "/AGENTS.md/below"])(
    "read and edit of %s, which is no file, answer alike",
    async (path) => {
      const reads = await all((backend) => backend.read(path));
      expect(reads.ours).toEqual(reads.store);
      const edits = await all((backend) => backend.edit(path, "a", "b"));
      expect(edits.ours).toEqual(edits.store);
    },
  );

  it.each(["/", "/data", "/data/", "/data/deep", "/none", "/AGENTS.md"])(
    "ls of %s shows the same entries",
    async (path) => {
      const answers = await all(async (backend) => getEntries(await backend.ls(path)));
      expect(answers.ours).toEqual(answers.store);
      expect(answers.ours).toEqual(answers.disk);
    },
  );

  const patterns = [
    "*",
    "**",
    "**/*",
    "*.md",
    "**/*.md",
    "data/*",
    "data/**",
    "data/**/*.md",
    "**/deep/**",
    "*/*.csv",
    "{AGENTS,lines}.*",
    "**/*.{md,json}",
    "?ines.txt",
    "[A-Z]*",
    "*.txt",
    ".*",
    "**/.*",
    "./lines.txt",
    "{1..3}",
    "nothing",
    "lines.txt",
  ];
  it.each(patterns)("glob of %s finds the same files in each directory", async (pattern) => {
    for (const path of ["/", "/data", "/data/deep/"]) {
      const answers = await all(async (backend) => getEntries(await backend.glob(pattern, path)));
      expect([path, answers.ours]).toEqual([path, answers.store]);
      expect([path, answers.ours]).toEqual([path, answers.disk]);
    }
  });

  it.each<[reading: string, pattern: string, ours: string[], alike: "disk" | "store", other: unknown]>([
    [
      "a leading slash for the directory searched, as the tool describes it and the disk's does",
      "/data/**/*.md",
      ["/data/deep/er/notes.md"],
      "disk",
      [],
    ],
    [
      "[!a] as a shell does, and so the disk's, where the store's takes the ! for a letter",
      "[!a-z]*",
      ["/.hidden", "/AGENTS.md"],
      "disk",
      expect.arrayContaining(["/blank"]),
    ],
    [
      "? in a directory's name for any character, as the store's, where the disk's finds nothing",
      "data?/*",
      ["/data2/x"],
      "store",
      [],
    ],
  ])("glob takes %s", async (_reading, pattern, ours, alike, other) => {
    const answers = await all(async (backend) => getEntries(await backend.glob(pattern)));
    expect([answers.ours, answers[alike]]).toEqual([ours, ours]);
    expect(answers[alike === "disk" ? "store" : "disk"]).toEqual(other);
  });

  it.each(["/data/deep/er/notes.md", "/none", "/dat"])(
    "glob in %s, which is no directory, answers as the store's",
    async (path) => {
      const answers = await all(async (backend) => getEntries(await backend.glob("*", path)));
      expect(answers.ours).toEqual(answers.store);
    },
  );

  // Not beside the disk's: that runs ripgrep where there is one, which skips files, and leaves a timer where there is
  // none.
  it.each<[string, string | null, string | null]>([
    ["needle", "/", null],
    ["needle", null, null],
    ["needle", "/data", null],
    ["needle", "/data/", "*.md"],
    ["needle", "/", "*.{md,txt}"],
    ["needle", "/", "**/*.md"],
    ["needle", "/data/deep/er/notes.md", null],
    ["needle", "/none", null],
    ["line 1", "/", ".*"],
    ["line 1", "/lines.txt", null],
    ["two", "/", null],
    ["1,2", "/", "*.csv"],
    [".*", "/", null],
    ["needle\nhay", "/", null],
    ["NEEDLE", "/", null],
    ["", "/data/table.csv", null],
  ])("grep of %j in %j among %j finds the same lines", async (pattern, path, glob) => {
    const { ours, store } = backends;
    expect(getMatches(await ours.grep(pattern, path, glob))).toEqual(getMatches(await store.grep(pattern, path, glob)));
  });

  it("grep of a glob with a slash compares paths, where the store's compares names and so finds nothing", async () => {
    const { ours, store } = backends;
    const found = getMatches(await ours.grep("needle", "/", "data/**/*.md"));
    expect(found).toEqual(["/data/deep/er/notes.md:1:needle", "/data/deep/er/notes.md:3:needle needle"]);
    expect(getMatches(await store.grep("needle", "/", "data/**/*.md"))).toEqual([]);
  });

  it("sorts by code units, where theirs sort by the locale of the process", async () => {
    const { ours, disk } = await all((backend) => backend.ls("/data2/.."));
    expect(ours.error).toBe('invalid path: ".." not allowed');
    expect(disk.files).toEqual([]);
    const sorted = await backendsWith({ "/b": "", "/B": "", "/a": "" });
    expect((await sorted.ours.ls("/")).files?.map(({ path }) => path)).toEqual(["/B", "/a", "/b"]);
    expect((await sorted.store.ls("/")).files?.map(({ path }) => path)).toEqual(["/a", "/b", "/B"]);
  });
});

describe("globs beside deepagents' own", () => {
  const letters = fc.stringMatching(/^[ab-]{1,4}$/);
  const file = fc.array(letters, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join("/")}.md`);
  const pieces = ["a", "b", "-", "*", "?", "/", "[ab]", "[a-b]", "{a,b}", "{a-,*b}", "**/", ".md"];
  // Stars beside stars mean to a regular expression what they mean to no shell.
  const isPlain = (pattern: string): boolean => !/\*\*(?!\/)|[^/]\*\*|^\/|\/\//.test(pattern);
  const pattern = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(""))
    .filter(isPlain);

  it("find the same files by any pattern", async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.uniqueArray(file, { maxLength: 30 }),
        fc.array(pattern, { minLength: 1, maxLength: 20 }),
        async (paths, patterns) => {
          const { ours, store } = await storesOnly(Object.fromEntries(paths.map((path) => [path, "x"])));
          for (const each of patterns)
            expect([each, getEntries(await ours.glob(each))]).toEqual([each, getEntries(await store.glob(each))]);
        },
      ),
      { usual: 25, long: 1000 },
    );
  });
});

describe("edits beside deepagents' own", () => {
  const pieces = fc.constantFrom("a", "aa", "b", "\n", "$&", "$1", "\\", ".*", "é", "😀", "");
  const text = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(""));

  it("leave the same text and say the same, and what comes near", async () => {
    await assertProperty(
      fc.asyncProperty(text, text, text, fc.boolean(), async (content, oldString, newString, replaceAll) => {
        const { ours, store } = await storesOnly({ "/f.md": content });
        const [one, other] = [
          await ours.edit("/f.md", oldString, newString, replaceAll),
          await store.edit("/f.md", oldString, newString, replaceAll),
        ];
        // Theirs do not say which lines come near.
        expect({ ...one, error: one.error?.split("\nNearest, ")[0] }).toEqual({ ...other, error: other.error });
        expect((await ours.readRaw("/f.md")).data?.content).toBe((await store.readRaw("/f.md")).data?.content);
      }),
      { usual: 50, long: 300 },
    );
  });

  it("windows of any text and bounds are the same where there are lines", async () => {
    const bound = fc.oneof(fc.integer({ min: -2, max: 12 }), fc.constantFrom(1.5, Number.NaN));
    await assertProperty(
      fc.asyncProperty(text, bound, bound, async (content, offset, limit) => {
        const { ours, store } = await storesOnly({ "/f.txt": content });
        const answer = await ours.read("/f.txt", offset, limit);
        if (answer.error === undefined) expect(answer).toEqual(await store.read("/f.txt", offset, limit));
        else expect(offset).toBeGreaterThan(0);
      }),
      { usual: 50, long: 300 },
    );
  });
});

async function storesOnly(files: Files): Promise<Pick<Backends, "ours" | "store">> {
  const ours = new DeepAgentsBackend(openMemory(new InMemoryStore(), { nodeId: "differential" }));
  const store = new StoreBackend({ store: new InMemoryStore(), namespace: ["differential"] });
  for (const [path, content] of Object.entries(files)) {
    await ours.write(path, content);
    await store.write(path, content);
  }
  return { ours, store };
}

/** Paths in an order of our own, with a failure standing out. */
function getEntries({ error, files }: { error?: string; files?: { path: string; is_dir?: boolean }[] }): string[] {
  if (error !== undefined) return [`error: ${error}`];
  return (files ?? [])
    .map(({ path, is_dir: isDirectory }) => `${path}${isDirectory === true ? " (directory)" : ""}`)
    .toSorted();
}

function getMatches({
  error,
  matches,
}: {
  error?: string;
  matches?: { path: string; line: number; text: string }[];
}): string[] {
  if (error !== undefined) return [`error: ${error}`];
  return (matches ?? []).map(({ path, line, text }) => `${path}:${line}:${text}`).toSorted();
}
