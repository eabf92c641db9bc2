import { deepEqual, equal, rejects } from "node:assert/strict";
import { type MemoryCase, openFresh, refuses } from "../memory-case.js";
import { untyped } from "../untyped.js";

export const editingCases: MemoryCase[] = [
  {
    title: "append creates the file and its parent directories",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.append("/a/b/c", "hello");
      equal(await memory.read("/a/b/c"), "hello");
      deepEqual((await memory.snapshot()).directories, ["/a", "/a/b"]);
    },
  },
  {
    title: "append joins with one newline unless one side has it or is empty",
    run: async (open) => {
      const memory = await openFresh(open);
      const joins: [string, string, string][] = [
        ["a", "b", "a\nb"],
        ["a\n", "b", "a\nb"],
        ["a", "\nb", "a\nb"],
        ["a\n", "\nb", "a\n\nb"],
        ["", "b", "b"],
        ["a", "", "a"],
        ["é", "b", "é\nb"],
        ["🧠", "b", "🧠\nb"],
        ["\n", "b", "\nb"],
      ];
      for (const [text, addition, joined] of joins) {
        await memory.write("/file", text);
        await memory.append("/file", addition);
        equal(await memory.read("/file"), joined);
      }
    },
  },
  {
    title: "append to a directory is EISDIR, below a file ENOTDIR",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.append("/dir/file", "x");
      await refuses(memory.append("/dir", "x"), "EISDIR", "EISDIR: path is a directory");
      await refuses(memory.append("/", "x"), "EISDIR", "EISDIR: path is a directory");
      await refuses(memory.append("/dir/file/below", "x"), "ENOTDIR", "ENOTDIR: a parent of the path is a file");
      await refuses(memory.append("/dir/file/far/below", "x"), "ENOTDIR", "ENOTDIR: a parent of the path is a file");
      deepEqual((await memory.snapshot()).directories, ["/dir"]);
    },
  },
  {
    title: "update replaces every occurrence, left to right and not overlapping",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("/file", "aaaaa b aa");
      equal(await memory.update("/file", "aa", "x"), 3);
      equal(await memory.read("/file"), "xxa b x");
      equal(await memory.update("/file", "missing", "y"), 0);
      equal(await memory.update("/file", "x", ""), 3);
      equal(await memory.read("/file"), "a b ");
    },
  },
  {
    title: "update takes both texts literally",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("/file", "cost: $5 (.*) \\1");
      equal(await memory.update("/file", "(.*)", "$& $1 \\1 $data $$NOW"), 1);
      equal(await memory.read("/file"), "cost: $5 $& $1 \\1 $data $$NOW \\1");
      equal(await memory.update("/file", "$data", "$nodeId"), 1);
      equal(await memory.read("/file"), "cost: $5 $& $1 \\1 $nodeId $$NOW \\1");
    },
  },
  {
    title: "update of a missing file is ENOENT, of a directory EISDIR, of nothing EINVAL",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.append("/dir/file", "x");
      await refuses(memory.update("/missing", "a", "b"), "ENOENT", "ENOENT: file not found");
      await refuses(memory.update("/dir", "a", "b"), "EISDIR", "EISDIR: path is a directory");
      await refuses(memory.update("/", "a", "b"), "EISDIR", "EISDIR: path is a directory");
      await refuses(memory.update("/dir/file", "", "b"), "EINVAL");
      equal(await memory.read("/dir/file"), "x");
    },
  },
  {
    title: "write sets the whole text, and its modes refuse what exists or is missing",
    run: async (open) => {
      const memory = await openFresh(open);
      await refuses(memory.write("/a/b", "x", { ifMissing: "fail" }), "ENOENT");
      await memory.write("/a/b", "one", { ifExists: "fail" });
      await refuses(memory.write("/a/b", "two", { ifExists: "fail" }), "EEXIST");
      await memory.write("/a/b", "three", { ifMissing: "fail" });
      equal(await memory.read("/a/b"), "three");
      await refuses(memory.write("/a", "x"), "EISDIR");
      await refuses(memory.write("/", "x"), "EISDIR");
      await refuses(memory.write("/a/b/c", "x"), "ENOTDIR");
    },
  },
  {
    title: "createdAt stays and updatedAt moves when a file changes",
    run: async (open, { keepsCreatedAt }) => {
      const memory = await openFresh(open);
      const first = await memory.write("/file", "a");
      await new Promise((resolve) => setTimeout(resolve, 5));
      await memory.append("/file", "b");
      const second = await memory.edit("/file", (text) => `${text}c`);
      deepEqual(second, await memory.stat("/file"));
      if (keepsCreatedAt) equal(second.createdAt.getTime(), first.createdAt.getTime());
      equal(second.updatedAt.getTime() > first.updatedAt.getTime(), true);
    },
  },
  {
    title: "edit sees the text and writes what it returns; what it throws leaves all as it was",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("/dir/file", "one");
      equal((await memory.edit("/dir/file", (text) => `${text} two`)).sizeBytes, 7);
      await rejects(
        memory.edit("/dir/file", () => {
          throw new RangeError("not unique");
        }),
        RangeError,
      );
      await refuses(
        memory.edit("/dir/file", () => untyped(5)),
        "EINVAL",
      );
      equal(await memory.read("/dir/file"), "one two");
      await refuses(
        memory.edit("/missing", (text) => text),
        "ENOENT",
      );
      await refuses(
        memory.edit("/dir", (text) => text),
        "EISDIR",
      );
    },
  },
  {
    title: "a file over its limit is EFBIG and stays as it was",
    run: async (open) => {
      const memory = await openFresh(open, { maxFileBytes: 10 });
      await memory.write("/file", "é".repeat(5));
      await refuses(memory.append("/file", "x"), "EFBIG");
      await refuses(memory.update("/file", "é", "ééé"), "EFBIG");
      await refuses(
        memory.edit("/file", (text) => `${text}x`),
        "EFBIG",
      );
      await refuses(memory.write("/file", "x".repeat(11)), "EFBIG");
      await refuses(memory.append("/new", "é".repeat(6)), "EFBIG");
      equal(await memory.read("/file"), "é".repeat(5));
      equal(await memory.stat("/new"), null);
      await memory.update("/file", "é", "");
      await memory.append("/file", "x".repeat(10));
    },
  },
  {
    title: "a file of one million bytes fits by default and one byte more does not",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("/file", "x".repeat(1_000_000));
      await refuses(memory.append("/file", "x"), "EFBIG");
      // Longer than the longest string of JavaScript.
      await refuses(memory.update("/file", "x", "y".repeat(1000)), "EFBIG");
      await refuses(memory.write("/other", "x".repeat(1_000_001)), "EFBIG");
      equal((await memory.read("/file")).length, 1_000_000);
    },
  },
  {
    title: "a text that is no string or not well-formed is EINVAL and changes nothing",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const text of [undefined, null, 5, {}, { $ne: null }, ["a"], "lone \ud800 surrogate", "\udc00"]) {
        const content: string = untyped(text);
        await refuses(memory.append("/file", content), "EINVAL");
        await refuses(memory.write("/file", content), "EINVAL");
        await refuses(memory.update("/file", "a", content), "EINVAL");
        await refuses(memory.update("/file", content, "a"), "EINVAL");
      }
      equal(await memory.stat("/file"), null);
    },
  },
];
