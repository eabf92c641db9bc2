import { describe, expect, it } from "@jest/globals";
import type { SnapshotFile } from "../../../src/core/memory.js";
import { readAhead } from "../../../src/cli/archive/read-ahead.js";

const batchBytes = 4_000_000;

interface Source {
  files: { path: string; sizeBytes: number }[];
  read: (paths: readonly string[]) => Promise<SnapshotFile[]>;
  /** Each is what one read was asked for. */
  reads: string[][];
  /** Sizes of what was handed out, by path; a consumer takes out what it has loaded. */
  handedOut: Map<string, number>;
}

function createSource(sizes: readonly number[]): Source {
  const files = sizes.map((sizeBytes, index) => ({ path: `/${index}`, sizeBytes }));
  const sizeOf = new Map(files.map(({ path, sizeBytes }) => [path, sizeBytes]));
  const reads: string[][] = [];
  const handedOut = new Map<string, number>();
  const read: Source["read"] = async (paths) => {
    reads.push([...paths]);
    await Promise.resolve();
    return paths.toReversed().map((path) => {
      const sizeBytes = sizeOf.get(path) ?? 0;
      handedOut.set(path, sizeBytes);
      return {
        path,
        kind: "file",
        content: `text of ${path}`,
        sizeBytes,
        createdAt: new Date(1),
        updatedAt: new Date(2),
      };
    });
  };
  return { files, read, reads, handedOut };
}

const sum = (sizes: Iterable<number>): number => [...sizes].reduce((total, size) => total + size, 0);

describe("files that are read ahead", () => {
  it("are read once each, and no more than a batch of them is held", async () => {
    const sizes = Array.from({ length: 3000 }, (_, index) =>
      index % 500 === 7 ? 9_000_000 : index % 60 === 0 ? 1_500_000 : index % 5,
    );
    const { files, read, reads, handedOut } = createSource(sizes);
    for (const { path, sizeBytes, load } of readAhead(files, read)) {
      expect((await load()).content).toBe(`text of ${path}`);
      expect(sum(handedOut.values())).toBeLessThanOrEqual(Math.max(batchBytes, sizeBytes));
      handedOut.delete(path);
    }
    expect(reads.flat()).toEqual(files.map(({ path }) => path));
    expect(reads.length).toBeLessThan(60);
    expect(Math.max(...reads.map(({ length }) => length))).toBeLessThanOrEqual(1000);
  });

  it("are not held after they are loaded, and are read again if they are loaded again", async () => {
    const { files, read, reads } = createSource([1, 3_000_000, 3_000_000, 2, 0]);
    const trees = readAhead(files, read);
    for (const index of [4, 0, 0, 2, 1, 3]) expect((await trees[index]?.load())?.content).toBe(`text of /${index}`);
    expect(reads).toEqual([["/4"], ["/0", "/1"], ["/0", "/1"], ["/2", "/3", "/4"], ["/1"], ["/3", "/4"]]);
  });

  it("may be loaded at the same time", async () => {
    const { files, read } = createSource([1, 3_000_000, 3_000_000, 2, 0]);
    const loaded = await Promise.all(readAhead(files, read).map(({ load }) => load()));
    expect(loaded).toMatchObject(files.map(({ path }) => ({ content: `text of ${path}` })));
  });

  it("are not read before they are loaded", () => {
    const { files, read, reads } = createSource([1, 2, 3]);
    expect(readAhead(files, read).map(({ path, sizeBytes }) => ({ path, sizeBytes }))).toEqual(files);
    expect(reads).toEqual([]);
  });
});
