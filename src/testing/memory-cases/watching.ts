import { deepEqual, equal, rejects } from "node:assert/strict";
import type { MemoryChange, MemoryChanges } from "../../core/memory.js";
import { freshAddress, type MemoryCase } from "../memory-case.js";

const soon = { pollIntervalMs: 5 };

/** Waits for the next changes and describes them. */
async function takeChanges(changes: MemoryChanges, count: number): Promise<string[]> {
  const all: string[] = [];
  while (all.length < count) all.push(describeChange((await changes.next()).value as MemoryChange)); // endless
  return all;
}

function describeChange({ operation, kind, path }: MemoryChange): string {
  return `${operation} ${kind} ${path}`;
}

export const watchingCases: MemoryCase[] = [
  {
    title: "a watch tells what is created, modified and deleted, and nothing that was there before",
    run: async (open) => {
      const address = freshAddress();
      const [memory, other] = [await open(address), await open(address)];
      await memory.write("/a/old", "before");
      const changes = memory.watch(soon);
      await changes.ready;
      await other.write("/a/new", "one");
      deepEqual(await takeChanges(changes, 1), ["created file /a/new"]);
      // The sizes are equal.
      await other.update("/a/new", "one", "two");
      deepEqual(await takeChanges(changes, 1), ["modified file /a/new"]);
      await other.rename("/a/new", "/b/new");
      deepEqual(await takeChanges(changes, 3), ["deleted file /a/new", "created dir /b", "created file /b/new"]);
      await memory.delete("/a");
      deepEqual(await takeChanges(changes, 2), ["deleted file /a/old", "deleted dir /a"]);
      await changes.return();
    },
  },
  {
    title: "a watch tells nothing for a change that leaves everything as it was, and several changes of a file as one",
    run: async (open) => {
      const memory = await open(freshAddress());
      await memory.write("/a", "1");
      const changes = memory.watch(soon);
      await changes.ready;
      await memory.write("/a", "1");
      for (const text of ["2", "3", "4"]) await memory.write("/a", text);
      await memory.write("/gone", "x");
      await memory.delete("/gone");
      await memory.write("/z", "x");
      deepEqual(await takeChanges(changes, 2), ["modified file /a", "created file /z"]);
      await changes.return();
    },
  },
  {
    title: "a watch ends with its signal, when it is left, and with the reason of a signal of the memory",
    run: async (open) => {
      const memory = await open(freshAddress());
      const own = new AbortController();
      const ended = memory.watch({ ...soon, signal: own.signal });
      const waiting = ended.next();
      await ended.ready;
      own.abort();
      equal((await waiting).done, true);
      equal((await memory.watch({ signal: own.signal }).next()).done, true);
      const left = memory.watch(soon);
      await left.ready;
      await memory.write("/a", "x");
      for await (const { path } of left) {
        equal(path, "/a");
        break;
      }
      equal((await left.next()).done, true);
      const ofMemory = new AbortController();
      const aborted = memory.with({ signal: ofMemory.signal }).watch(soon);
      const rejected = rejects(aborted.next(), /enough/);
      await aborted.ready;
      ofMemory.abort(new Error("enough"));
      await rejected;
    },
  },
];
