import { getEventListeners } from "node:events";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import type { ChangeListener } from "../../../src/core/watch/memory-changes.js";
import { watchMemory, type WatchedMemory } from "../../../src/core/watch/memory-watch.js";
import { isHeardHere } from "../../../src/core/watch/own-changes.js";
import { openMemory } from "../../../src/open-memory.js";
import { freshAddress } from "../../../src/testing/memory-case.js";

/** No look that waits for it comes within a test. */
const never = 3_600_000;

const forEver = (): Promise<never> => new Promise(() => undefined);

/** A memory of one file, as a watch sees it. */
function oneFile(parts: Partial<WatchedMemory> = {}): WatchedMemory {
  const file = { path: "/a", kind: "file", content: "1", sizeBytes: 1, createdAt: new Date(0), updatedAt: new Date(0) } as const;
  return {
    version: async () => null,
    snapshot: async () => ({ files: [file], directories: [], revision: null }),
    listen: async () => null,
    listenHere: () => () => undefined,
    signals: [],
    ...parts,
  };
}

describe("a watch of a storage that does not answer", () => {
  // Requirement: watch.ends
  it("ends with its signal during the first look", async () => {
    const end = new AbortController();
    const changes = watchMemory(oneFile({ version: forEver }), { signal: end.signal });
    const waiting = changes.next();
    end.abort();
    await changes.ready;
    expect((await waiting).done).toBe(true);
  });

  // Requirement: watch.ends
  it.each(["version", "snapshot", "listen"] as const)("ends when it is left while it waits for %s", async (method) => {
    const memory = oneFile();
    const changes = watchMemory(memory, { pollIntervalMs: 1 });
    await changes.ready;
    const asked = new Promise<void>((resolve) => {
      memory[method] = () => {
        resolve();
        return forEver();
      };
    });
    const waiting = changes.next();
    await asked;
    expect((await changes.return()).done).toBe(true);
    expect((await waiting).done).toBe(true);
  });

  it("closes what it hears by, if that answers once the watch is over", async () => {
    const memory = oneFile();
    let answer: (listener: ChangeListener) => void = () => undefined;
    const changes = watchMemory(memory, { pollIntervalMs: never });
    await changes.ready;
    const asked = new Promise<void>((resolve) => {
      memory.listen = () => {
        resolve();
        return new Promise((listening) => (answer = listening));
      };
    });
    const waiting = changes.next();
    await asked;
    await changes.return();
    await waiting;
    await new Promise<void>((close) => answer({ latest: null, heard: forEver, close }));
  });
});

describe("a watch whose consumer asks no more", () => {
  // Requirement: watch.ends
  it("listens to nothing any more once its signal has aborted", async () => {
    const [end, ofMemory] = [new AbortController(), new AbortController()];
    const memory = openMemory(new InMemoryStore(), freshAddress()).with({ signal: ofMemory.signal });
    const changes = memory.watch({ signal: end.signal, pollIntervalMs: never });
    await changes.ready;
    const first = changes.next();
    await memory.write("/a", "x");
    expect((await first).value).toEqual({ path: "/a", kind: "file", operation: "created" });
    expect(isHeardHere()).toBe(true);
    end.abort();
    expect(isHeardHere()).toBe(false);
    expect(getEventListeners(ofMemory.signal, "abort")).toEqual([]);
  });
});
