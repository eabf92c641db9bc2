import { deepEqual, equal, rejects } from "node:assert/strict";
import { checkPolicy } from "../../core/access/policy.js";
import { bindMemory } from "../../core/bind-memory.js";
import type { Memory } from "../../core/memory.js";
import { type MemoryCase, openFresh, refuses } from "../memory-case.js";
import { untyped } from "../untyped.js";

async function readContents(memory: Memory): Promise<Record<string, string>> {
  const { files } = await memory.snapshot();
  return Object.fromEntries(files.map(({ path, content }) => [path, content]));
}

export const treeCases: MemoryCase[] = [
  {
    title: "delete removes a file and counts it",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("/notes/today", "x");
      await memory.write("/notes/todaylong", "y");
      deepEqual(await memory.delete("/notes/today"), { files: 1, dirs: 0 });
      deepEqual(await readContents(memory), { "/notes/todaylong": "y" });
    },
  },
  {
    title: "delete removes a directory with all below it and counts itself",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const path of ["/a/b/c", "/a/d", "/ab/c", "/a b", "/a-/x"]) await memory.write(path, path);
      deepEqual(await memory.delete("/a"), { files: 2, dirs: 2 });
      deepEqual(await readContents(memory), { "/a b": "/a b", "/a-/x": "/a-/x", "/ab/c": "/ab/c" });
      deepEqual((await memory.snapshot()).directories, ["/a-", "/ab"]);
    },
  },
  {
    title: "delete of files only refuses a directory, whose files stay",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const path of ["/a/b/c", "/a/empty/gone", "/file"]) await memory.write(path, path);
      deepEqual(await memory.delete("/a/empty/gone", { ifDirectory: "fail" }), { files: 1, dirs: 0 });
      for (const path of ["/a", "/a/b", "/a/empty", "/"])
        await refuses(memory.delete(path, { ifDirectory: "fail" }), "EISDIR");
      deepEqual(await memory.delete("/missing", { ifDirectory: "fail" }), { files: 0, dirs: 0 });
      deepEqual(await readContents(memory), { "/a/b/c": "/a/b/c", "/file": "/file" });
      await rejects(memory.delete("/file", untyped({ ifDirectory: "no" })), TypeError);
      deepEqual(await memory.delete("/a", { ifDirectory: "delete" }), { files: 1, dirs: 3 });
    },
  },
  {
    title: "deleting what is missing counts nothing",
    run: async (open) => {
      const memory = await openFresh(open);
      deepEqual(await memory.delete("/missing"), { files: 0, dirs: 0 });
      await memory.write("/file", "x");
      deepEqual(await memory.delete("/missing/deep"), { files: 0, dirs: 0 });
      deepEqual(await memory.delete("/file/below"), { files: 0, dirs: 0 });
      deepEqual(await readContents(memory), { "/file": "x" });
    },
  },
  {
    title: "deleting the root empties the memory, which stays",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const path of ["/a/b/c", "/d"]) await memory.write(path, path);
      deepEqual(await memory.delete("/"), { files: 2, dirs: 2 });
      deepEqual(await memory.delete("/"), { files: 0, dirs: 0 });
      deepEqual(await memory.list("/"), []);
      await memory.append("/a", "a file now");
      equal(await memory.read("/a"), "a file now");
    },
  },
  {
    title: "rename moves a file and makes the parents of its new place",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("/a/file", "text");
      await memory.rename("/a/file", "/b/c/moved");
      deepEqual(await readContents(memory), { "/b/c/moved": "text" });
      deepEqual((await memory.snapshot()).directories, ["/a", "/b", "/b/c"]);
    },
  },
  {
    title: "rename moves a directory with all below it and nothing beside it",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const path of ["/a/x", "/a/b/y", "/ab/z", "/a b"]) await memory.write(path, path);
      await memory.append("/a/empty/gone", "x");
      await memory.delete("/a/empty/gone");
      await memory.rename("/a", "/new/place");
      deepEqual(await readContents(memory), {
        "/a b": "/a b",
        "/ab/z": "/ab/z",
        "/new/place/b/y": "/a/b/y",
        "/new/place/x": "/a/x",
      });
      deepEqual((await memory.snapshot()).directories, [
        "/ab",
        "/new",
        "/new/place",
        "/new/place/b",
        "/new/place/empty",
      ]);
    },
  },
  {
    title: "rename never overwrites, and refuses what cannot be",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const path of ["/file", "/dir/inside", "/other/x"]) await memory.write(path, path);
      await refuses(memory.rename("/missing", "/new"), "ENOENT");
      await refuses(memory.rename("/file", "/dir"), "EEXIST");
      await refuses(memory.rename("/file", "/dir/inside"), "EEXIST");
      await refuses(memory.rename("/dir", "/other"), "EEXIST");
      await refuses(memory.rename("/file", "/file"), "EEXIST");
      await refuses(memory.rename("/missing", "/missing"), "ENOENT");
      await refuses(memory.rename("/other", "/file/below"), "ENOTDIR");
      await refuses(memory.rename("/dir", "/dir/inside/deeper"), "EINVAL");
      await refuses(memory.rename("/", "/new"), "EINVAL");
      await refuses(memory.rename("/dir", "/"), "EINVAL");
      deepEqual(await readContents(memory), { "/dir/inside": "/dir/inside", "/file": "/file", "/other/x": "/other/x" });
    },
  },
  {
    title: "rename refuses to make a path below too long or too deep",
    run: async (open) => {
      const memory = await openFresh(open);
      const long = "x".repeat(250);
      await memory.write(`/a/${long}/${long}/${long}`, "text");
      await refuses(memory.rename("/a", `/${long}/${long}`), "EINVAL");
      await memory.write(`/deep${"/d".repeat(20)}`, "text");
      await refuses(memory.rename("/deep", `/to${"/e".repeat(12)}`), "EINVAL");
      await memory.rename("/deep", `/to${"/e".repeat(11)}`);
    },
  },
  {
    title: "delete of a directory is refused where a rule keeps something below it",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const path of ["/a/b/kept", "/a/c", "/d/e"]) await memory.write(path, path);
      const ruled = bindMemory(memory, {
        policies: [checkPolicy({ rules: [{ path: "/**/kept", access: "append" }] })],
      });
      const before = await readContents(memory);
      for (const path of ["/a/b/kept", "/a/b", "/a", "/"]) {
        await refuses(ruled.delete(path), "EACCES", 'EACCES: /a/b/kept can only be appended to here (access "append")');
      }
      deepEqual(await readContents(memory), before);
      deepEqual(await ruled.delete("/d"), { files: 1, dirs: 1 });
      deepEqual(await ruled.delete("/a/c"), { files: 1, dirs: 0 });
      deepEqual(await ruled.delete("/missing"), { files: 0, dirs: 0 });
      await memory.delete("/a/b/kept");
      deepEqual(await ruled.delete("/"), { files: 0, dirs: 2 });
      deepEqual(await ruled.delete("/"), { files: 0, dirs: 0 });
    },
  },
  {
    title: "rename of a directory is refused where a rule keeps something below it, or where it would go",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const path of ["/a/b/kept", "/d/e"]) await memory.write(path, path);
      const rules = [
        { path: "/**/kept", access: "read" },
        { path: "/new/e", access: "append" },
      ] as const;
      const ruled = bindMemory(memory, { policies: [checkPolicy({ rules: [...rules] })] });
      const before = await readContents(memory);
      await refuses(ruled.rename("/a", "/moved"), "EACCES", 'EACCES: /a/b/kept is read-only here (access "read")');
      await refuses(
        ruled.rename("/d", "/new"),
        "EACCES",
        'EACCES: /new/e can only be appended to here (access "append")',
      );
      await refuses(ruled.rename("/d/e", "/kept"), "EACCES", 'EACCES: /kept is read-only here (access "read")');
      deepEqual(await readContents(memory), before);
      await ruled.rename("/d", "/other");
      equal(await memory.read("/other/e"), "/d/e");
    },
  },
];
