import { deepEqual, equal, throws } from "node:assert/strict";
import { type MemoryCapabilities, type MemoryCase, openFresh, refuses } from "../memory-case.js";
import { untyped } from "../untyped.js";

/** Illegal by every rule, in every command. */
const illegalPaths = [
  "..",
  "/..",
  "/../x",
  "/a/../b",
  "..\\..\\x",
  "/a/..\\b",
  "/.",
  "/a/./b",
  "/%2e%2e/x",
  "/%2E%2e",
  "/..%2fx",
  "/%252e%252e/x",
  "/%25252e%25252e",
  "/%c0%ae%c0%ae/x",
  "/%ef%bc%8e%ef%bc%8e",
  "/．．/x",
  "/‥",
  "/\u2024\u2024",
  "/a/..%5cb",
  "/nul\0",
  "/%00",
  "/line\nbreak",
  "/bell\u0007",
  "/del\u007f",
  "/c1\u0085",
  "/lone\ud800",
  "/\udc00lone",
  `/${"x".repeat(256)}`,
  `/${"x/".repeat(600)}`,
  "/d".repeat(33),
  "x".repeat(10_000_000),
];

/** Legal only by the rule `posix`. */
const posixPaths = [
  "/notes.txt",
  "/MEMORY.md",
  "/.hidden",
  "/a..b",
  "/$a",
  "/a$b/$c",
  "/$$ROOT",
  "/100%",
  "/%2",
  "/%41",
  "/é",
  "/文件.md",
  "/🧠",
  "/~",
  "/'; drop",
  "/a.b/c.d",
  "/a%2Eb",
];

/** Legal by the rule `posix`, but illegal on Windows. */
const unportablePaths = ["/...", '/*?"<>|:'];

const getPosixPaths = ({ createsAnyName }: MemoryCapabilities): string[] =>
  createsAnyName ? [...posixPaths, ...unportablePaths] : posixPaths;

export const pathCases: MemoryCase[] = [
  {
    title: "every spelling of a path is one file",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("a/b", "text");
      for (const spelling of ["/a/b", "a/b", "//a///b", "/a/b/", "\\a\\b", "a\\b\\", "///a\\/b//"]) {
        equal(await memory.read(spelling), "text");
      }
      deepEqual(await memory.list(""), await memory.list("/"));
      deepEqual(await memory.list("a/"), [{ name: "b", kind: "file" }]);
    },
  },
  {
    title: "what no rule allows is EINVAL in every command, and nothing is stored",
    run: async (open) => {
      for (const paths of ["plain", "posix"] as const) {
        const memory = await openFresh(open, { paths });
        await memory.write("/file", "x");
        const refused: string[] = [...illegalPaths, ...[undefined, null, 5, {}, { $ne: null }, ["/a"]].map(untyped)];
        for (const path of refused) {
          await refuses(memory.read(path), "EINVAL");
          if (path !== undefined) await refuses(memory.list(path), "EINVAL");
          await refuses(memory.append(path, "x"), "EINVAL");
          await refuses(memory.update(path, "x", "y"), "EINVAL");
          await refuses(memory.delete(path), "EINVAL");
          await refuses(memory.write(path, "x"), "EINVAL");
          await refuses(
            memory.edit(path, (text) => text),
            "EINVAL",
          );
          await refuses(memory.rename("/file", path), "EINVAL");
          await refuses(memory.rename(path, "/new"), "EINVAL");
          await refuses(memory.stat(path), "EINVAL");
        }
        deepEqual(
          (await memory.snapshot()).files.map((file) => file.path),
          ["/file"],
        );
      }
    },
  },
  {
    title: "the empty path is the root for list and EINVAL elsewhere",
    run: async (open) => {
      const memory = await openFresh(open);
      deepEqual(await memory.list(""), []);
      await refuses(memory.read(""), "EINVAL", "path is required");
      await refuses(memory.append("", "x"), "EINVAL", "path is required");
      await refuses(memory.update("", "x", "y"), "EINVAL", "path is required");
      await refuses(memory.delete(""), "EINVAL", "path is required");
    },
  },
  {
    title: "the rule plain refuses to create anything but letters, digits, _, - and spaces",
    run: async (open) => {
      const memory = await openFresh(open, { paths: "plain" });
      await memory.write("/Az 09_-/ok", "x");
      await refuses(memory.write("/a..b", "x"), "EINVAL", 'invalid path: ".." not allowed');
      await refuses(memory.write("/a$b", "x"), "EINVAL", 'invalid path: "$" not allowed');
      await refuses(
        memory.append("/notes.txt", "x"),
        "EINVAL",
        'invalid path segment: notes.txt (names are letters A-Z, a-z, digits, "_", "-" and spaces; the program can allow other names by paths: "posix")',
      );
      for (const path of [...posixPaths, ...unportablePaths]) {
        await refuses(memory.write(path, "x"), "EINVAL");
        await refuses(memory.append(path, "x"), "EINVAL");
        await refuses(memory.rename("/Az 09_-/ok", path), "EINVAL");
        await refuses(memory.read(path), "EINVAL");
      }
      deepEqual(
        (await memory.snapshot()).files.map((file) => file.path),
        ["/Az 09_-/ok"],
      );
    },
  },
  {
    title: "the rule posix, which is the default, takes any name, each a file of its own",
    run: async (open, declared) => {
      const memory = await openFresh(open);
      const paths = getPosixPaths(declared);
      for (const path of paths) await memory.write(path, path);
      for (const path of paths) equal(await memory.read(path), path);
      deepEqual(
        (await memory.snapshot()).files.map((file) => file.path),
        paths.toSorted(),
      );
      await refuses(memory.write("/e\u0301", "not NFC"), "EINVAL");
    },
  },
  {
    title: "what one rule created the other can list, read, change and delete",
    run: async (open, declared) => {
      const address = { nodeId: `reach ${Math.random()}` };
      const posix = await open(address, { paths: "posix" });
      const plain = await open(address, { paths: "plain" });
      for (const path of getPosixPaths(declared)) {
        await posix.write(path, "old");
        const names = (await plain.list("/")).map(({ name }) => name);
        equal(names.includes(path.split("/")[1] ?? ""), true);
        equal(await plain.read(path), "old");
        await plain.append(path, "more");
        equal(await plain.update(path, "old", "new"), 1);
        equal(await posix.read(path), "new\nmore");
        deepEqual(await plain.delete(path), { files: 1, dirs: 0 });
      }
    },
  },
  {
    title: "the same memory with another rule for paths keeps its other options",
    run: async (open) => {
      const memory = await openFresh(open, { paths: "plain", maxFileBytes: 3 });
      const posix = memory.with({ paths: "posix" });
      deepEqual(posix.address, memory.address);
      await posix.write("/notes.txt", "x");
      equal(await memory.read("/notes.txt"), "x");
      await refuses(posix.write("/notes.txt", "1234"), "EFBIG");
      await refuses(memory.write("/other.txt", "x"), "EINVAL");
      await refuses(posix.with({ paths: "plain" }).write("/other.txt", "x"), "EINVAL");
      throws(() => memory.with({ paths: untyped("windows") }), TypeError);
    },
  },
  {
    title: "names of JavaScript's own and of databases are names like any other",
    run: async (open) => {
      const memory = await openFresh(open);
      const names = [
        "__proto__",
        "constructor",
        "prototype",
        "toString",
        "valueOf",
        "hasOwnProperty",
        "0",
        "length",
        "_bsontype",
        "_id",
      ];
      for (const name of names) {
        await refuses(memory.read(`/${name}`), "ENOENT");
        equal(await memory.stat(`/${name}`), null);
        await memory.write(`/${name}`, name);
        await memory.append(`/dir/${name}/${name}`, name);
      }
      await memory.rename("/_bsontype", "/ObjectId");
      await memory.append("/_bsontype/_bsontype", "ObjectId");
      equal(await memory.read("/_bsontype/_bsontype"), "ObjectId");
      await memory.delete("/_bsontype");
      await memory.rename("/ObjectId", "/_bsontype");
      for (const name of names) {
        equal(await memory.read(`/${name}`), name);
        equal(await memory.read(`/dir/${name}/${name}`), name);
      }
      deepEqual(
        (await memory.list("/dir")).map((entry) => entry.name),
        names.toSorted(),
      );
      equal(Reflect.get({}, "polluted"), undefined);
    },
  },
  {
    title: "the limits of length and depth are 255, 1,024 and 32",
    run: async (open) => {
      const memory = await openFresh(open);
      const segment = "x".repeat(255);
      const longest = `/${segment}/${segment}/${segment}/${"x".repeat(255)}`;
      equal(longest.length, 1024);
      await memory.write(longest, "x");
      equal(await memory.read(longest), "x");
      const deepest = "/d".repeat(32);
      await memory.write(deepest, "deep");
      equal(await memory.read(deepest), "deep");
      await refuses(memory.read(`${longest}x`), "EINVAL");
      await refuses(memory.read(`${deepest}/d`), "EINVAL");
    },
  },
];
