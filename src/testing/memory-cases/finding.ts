import { deepEqual } from "node:assert/strict";
import { freshAddress, type MemoryCase, openFresh, refuses } from "../memory-case.js";

/** Cases of `search` and `grep`. */
export const findingCases: MemoryCase[] = [
  {
    title: "search finds the passage that has most to do with a query, in whatever form its words are",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("/food/dinner", "Anna loves cooking pasta.\n\nBoris stays at home.");
      await memory.write("/work", "# Plans\nThe crêpes are for Monday.");
      const [first] = await memory.search("who cooks pastas?");
      const { score, ...hit } = first ?? { score: 0 };
      deepEqual(hit, {
        path: "/food/dinner",
        startLine: 1,
        endLine: 1,
        text: "Anna loves cooking pasta.",
      });
      deepEqual(score > 0, true);
      deepEqual((await memory.search("CREPES")).map(({ path, startLine }) => [path, startLine])[0], ["/work", 2]);
      deepEqual(await memory.search("zebra"), []);
    },
  },
  {
    title: "a search finds what has changed since the last one, whoever changed it",
    run: async (open) => {
      const address = freshAddress();
      const [one, other] = [await open(address), await open(address)];
      const paths = async (query: string): Promise<string[]> => (await one.search(query)).map(({ path }) => path);
      deepEqual(await paths("zebra"), []);
      await other.write("/a", "a zebra");
      deepEqual(await paths("zebra"), ["/a"]);
      await other.append("/b", "two zebras");
      deepEqual((await paths("zebra")).toSorted(), ["/a", "/b"]);
      await other.update("/a", "zebra", "giraffe");
      deepEqual(await paths("zebra"), ["/b"]);
      await other.rename("/b", "/c/d");
      deepEqual(await paths("zebra"), ["/c/d"]);
      await other.delete("/");
      deepEqual(await paths("zebra"), []);
      // As many changes as before, so that the number of changes alone would not show the difference.
      await other.write("/a", "a tiger");
      deepEqual(await paths("tiger"), ["/a"]);
    },
  },
  {
    title: "search and grep look below a directory, or in a file, and find nothing where nothing is",
    run: async (open) => {
      const memory = await openFresh(open);
      for (const path of ["/a", "/a b", "/c/a", "/c/b"]) await memory.write(path, "the fox");
      const found = async (path: string): Promise<string[][]> =>
        Promise.all(
          [memory.search("fox", { path }), memory.grep("fox", { path })].map(async (hits) =>
            (await hits).map((hit) => hit.path),
          ),
        );
      deepEqual(await found("/c"), [
        ["/c/a", "/c/b"],
        ["/c/a", "/c/b"],
      ]);
      deepEqual(await found("/a/"), [["/a"], ["/a"]]);
      deepEqual(await found("/missing"), [[], []]);
      deepEqual(
        (await found("")).map((paths) => paths.length),
        [4, 4],
      );
    },
  },
  {
    title: "grep finds lines by a text, by path and line, and at most so many",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("/b", "one\r\nTwo (2)\r\n\r\nthree two\r\n");
      await memory.write("/a", "two");
      deepEqual(await memory.grep("two"), [
        { path: "/a", line: 1, text: "two" },
        { path: "/b", line: 4, text: "three two" },
      ]);
      deepEqual(
        (await memory.grep("two", { ignoreCase: true })).map(({ path, line }) => [path, line]),
        [
          ["/a", 1],
          ["/b", 2],
          ["/b", 4],
        ],
      );
      deepEqual(await memory.grep("(2)"), [{ path: "/b", line: 2, text: "Two (2)" }]);
      deepEqual(
        (await memory.grep("t", { ignoreCase: true, limit: 2 })).map(({ path, line }) => [path, line]),
        [
          ["/a", 1],
          ["/b", 2],
        ],
      );
      await refuses(memory.grep(""), "EINVAL");
    },
  },
];
