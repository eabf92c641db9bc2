import { deepEqual, equal, rejects } from "node:assert/strict";
import { type MemoryCase, openFresh, refuses } from "../memory-case.js";
import { untyped } from "../untyped.js";

export const readingCases: MemoryCase[] = [
  {
    title: "a memory never written is an empty root",
    run: async (open) => {
      const memory = await openFresh(open);
      deepEqual(await memory.list(), []);
      deepEqual(await memory.stat("/"), { kind: "dir", sizeBytes: 0, createdAt: null, updatedAt: null });
      const { files, directories } = await memory.snapshot();
      deepEqual({ files, directories }, { files: [], directories: [] });
    },
  },
  {
    title: "a file reads as it was written, any well-formed text",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const text of [
        "",
        "\n",
        "$& \\1 $data $$ROOT",
        "NUL \0 is fine",
        "é 文件 🧠\r\n\u2028",
        "a".repeat(100_000),
      ]) {
        await memory.write("/file", text);
        equal(await memory.read("/file"), text);
      }
    },
  },
  {
    title: "reading a missing file is ENOENT, a directory EISDIR, the root too",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.append("/notes/today", "x");
      await refuses(memory.read("/missing"), "ENOENT", "ENOENT: file not found");
      await refuses(memory.read("/notes/today/below"), "ENOENT", "ENOENT: file not found");
      await refuses(memory.read("/notes"), "EISDIR", "EISDIR: path is a directory");
      await refuses(memory.read("/"), "EISDIR", "EISDIR: path is a directory");
    },
  },
  {
    title: "list shows immediate children only, sorted by name in code-unit order",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const path of ["/b", "/a/x/deep", "/a/w", "/Z", "/a-", "/a b", "/a0"]) await memory.write(path, "x");
      deepEqual(await memory.list("/"), [
        { name: "Z", kind: "file" },
        { name: "a", kind: "dir" },
        { name: "a b", kind: "file" },
        { name: "a-", kind: "file" },
        { name: "a0", kind: "file" },
        { name: "b", kind: "file" },
      ]);
      deepEqual(await memory.list("/a"), [
        { name: "w", kind: "file" },
        { name: "x", kind: "dir" },
      ]);
    },
  },
  {
    title: "listing a missing directory is ENOENT, a file ENOTDIR",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.append("/file", "x");
      await refuses(memory.list("/missing"), "ENOENT", "ENOENT: directory not found");
      await refuses(memory.list("/file"), "ENOTDIR", "ENOTDIR: path is a file");
    },
  },
  {
    title: "a directory stays when its last file goes",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.append("/notes/today", "x");
      await memory.delete("/notes/today");
      deepEqual(await memory.list("/"), [{ name: "notes", kind: "dir" }]);
      deepEqual(await memory.list("/notes"), []);
    },
  },
  {
    title: "stat tells kind, bytes of UTF-8 and times, and null where nothing is",
    run: async (open) => {
      const memory = await openFresh(open);
      const written = await memory.write("/notes/today", "é🧠");
      await memory.write("/notes/deep/other", "abc");
      deepEqual(await memory.stat("/notes/today"), written);
      equal(written.sizeBytes, 6);
      equal(written.kind, "file");
      equal(written.createdAt instanceof Date && written.updatedAt instanceof Date, true);
      deepEqual(await memory.stat("/notes"), { kind: "dir", sizeBytes: 9, createdAt: null, updatedAt: null });
      equal(await memory.stat("/missing"), null);
    },
  },
  {
    title: "a snapshot holds every file and directory, sorted by path",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const path of ["/b/y", "/b-", "/a"]) await memory.write(path, path);
      await memory.append("/empty/gone", "x");
      await memory.delete("/empty/gone");
      const { files, directories } = await memory.snapshot();
      deepEqual(
        files.map(({ path, content, sizeBytes }) => [path, content, sizeBytes]),
        [
          ["/a", "/a", 2],
          ["/b-", "/b-", 3],
          ["/b/y", "/b/y", 4],
        ],
      );
      deepEqual(directories, ["/b", "/empty"]);
    },
  },
  {
    title: "an outline has sizes, and contents only where all of them fit",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("/a/b", "é");
      await memory.write("/c", "123");
      const outline = await memory.outline();
      deepEqual(outline.files, [
        { path: "/a/b", sizeBytes: 2 },
        { path: "/c", sizeBytes: 3 },
      ]);
      deepEqual(outline.directories, ["/a"]);
      deepEqual((await memory.outline({ maxContentBytes: 4 })).files, outline.files);
      deepEqual((await memory.outline({ maxContentBytes: 5 })).files, [
        { path: "/a/b", sizeBytes: 2, content: "é" },
        { path: "/c", sizeBytes: 3, content: "123" },
      ]);
    },
  },
  {
    title: "an outline has the start of each text if that is asked for, and never half a character",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("/a", "12345");
      await memory.write("/b", "1🧠3");
      await memory.write("/c", "");
      const leads = async (leadChars: number): Promise<unknown[]> =>
        (await memory.outline({ leadChars })).files.map(({ lead }) => lead);
      deepEqual(await leads(0), [undefined, undefined, undefined]);
      deepEqual(await leads(2), ["12", "1", ""]);
      deepEqual(await leads(3), ["123", "1🧠", ""]);
      deepEqual(await leads(10_000), ["12345", "1🧠3", ""]);
      deepEqual((await memory.outline({ leadChars: 1, maxContentBytes: 100 })).files[0], {
        path: "/a",
        sizeBytes: 5,
        content: "12345",
        lead: "1",
      });
      for (const wrong of [-1, 1.5, 10_001, "1"]) {
        await rejects(memory.outline({ leadChars: untyped(wrong) }), /leadChars/);
      }
    },
  },
  {
    title: "a revision, where the storage keeps one, grows by one with each change and only then",
    run: async (open) => {
      const memory = await openFresh(open);
      if ((await memory.snapshot()).revision === null) return;
      const revision = async (): Promise<number | null> => (await memory.outline()).revision;
      equal(await revision(), 0);
      await memory.append("/a", "x");
      await memory.write("/b/c", "x");
      await memory.edit("/a", (text) => `${text}y`);
      await memory.update("/a", "x", "z");
      await memory.rename("/b", "/d");
      equal(await revision(), 5);
      await memory.update("/a", "missing", "z");
      await memory.delete("/missing");
      await refuses(memory.append("/d", "x"), "EISDIR");
      await refuses(memory.rename("/a", "/d"), "EEXIST");
      equal(await revision(), 5);
      await memory.delete("/");
      equal(await revision(), 6);
    },
  },
];
