import { deepEqual, equal } from "node:assert/strict";
import { type MemoryCase, openFresh } from "../memory-case.js";

const many = 50;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const concurrencyCases: MemoryCase[] = [
  {
    title: "concurrent appends to one file all survive, once each",
    run: async (open) => {
      const memory = await openFresh(open);
      await Promise.all(times(many, (index) => memory.append("/log", `line ${index}`)));
      const lines = (await memory.read("/log")).split("\n");
      deepEqual(lines.toSorted(), times(many, (index) => `line ${index}`).toSorted());
    },
  },
  {
    title: "concurrent edits and updates of one file all survive",
    run: async (open) => {
      const memory = await openFresh(open);
      await memory.write("/file", times(many, (index) => `[${index}]`).join("\n"));
      await Promise.all(
        times(many, (index) =>
          index % 2 === 0
            ? memory.edit("/file", (text) => text.replace(`[${index}]`, () => `(${index})`))
            : memory.update("/file", `[${index}]`, `(${index})`),
        ),
      );
      equal(await memory.read("/file"), times(many, (index) => `(${index})`).join("\n"));
    },
  },
  {
    title: "of concurrent creations of one file exactly one wins",
    run: async (open) => {
      const memory = await openFresh(open);
      const results = await Promise.allSettled(
        times(many, (index) => memory.write("/file", `writer ${index}`, { ifExists: "fail" })),
      );
      const winners = results.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : []));
      equal(winners.length, 1);
      equal(await memory.read("/file"), `writer ${winners[0]}`);
    },
  },
  {
    title: "of concurrent renames onto one destination exactly one wins and nothing is lost",
    run: async (open) => {
      const memory = await openFresh(open);
      await Promise.all(times(10, (index) => memory.write(`/source ${index}`, String(index))));
      const results = await Promise.allSettled(times(10, (index) => memory.rename(`/source ${index}`, "/destination")));
      equal(results.filter(({ status }) => status === "fulfilled").length, 1);
      const { files } = await memory.snapshot();
      deepEqual(files.map(({ content }) => content).toSorted(), times(10, String).toSorted());
    },
  },
  {
    title: "a directory delete racing appends ends in one of the two orders",
    run: async (open) => {
      for (let round = 0; round < 20; round += 1) {
        const memory = await openFresh(open);
        await memory.write("/dir/one", "1");
        const [counts] = await Promise.all([memory.delete("/dir"), memory.append("/dir/two", "2")]);
        const { files, directories } = await memory.snapshot();
        const paths = files.map((file) => file.path);
        if (counts.files === 2) deepEqual({ paths, directories }, { paths: [], directories: [] });
        else
          deepEqual(
            { counts, paths, directories },
            { counts: { files: 1, dirs: 1 }, paths: ["/dir/two"], directories: ["/dir"] },
          );
      }
    },
  },
  {
    title: "concurrent first writes of a fresh memory are never refused",
    run: async (open) => {
      const memory = await openFresh(open);
      await Promise.all(times(many, (index) => memory.write(`/file ${index}`, "x")));
      equal((await memory.list("/")).length, many);
    },
  },
];
