import { getEventListeners } from "node:events";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import type { ChangeListener } from "../../../src/core/contract/backend.js";
import { openMemory } from "../../../src/index.js";
import { watchMemory, type WatchedMemory } from "../../../src/core/watch/memory-watch.js";
import { freshAddress } from "../../helpers/memory-case.js";

/** No look that waits for it comes within a test. */
const never = 3_600_000;

const forEver = (): Promise<never> => new Promise(() => undefined);

/** A memory of one file, as a watch sees it. */
function oneFile(parts: Partial<WatchedMemory> = {}): WatchedMemory {
  return {
    version: async () => null,
    snapshot: async () => ({ files: [{ path: "/a", version: null, content: "1" }], directories: [] }),
    listen: async () => null,
    listenHere: () => () => undefined,
    signals: [],
    ...parts,
  };
}

describe("a watch of a storage that does not answer", () => {
  it("ends with its signal during the first look", async () => {
    const end = new AbortController();
    const changes = watchMemory(oneFile({ version: forEver }), { signal: end.signal });
    const waiting = changes.next();
    end.abort();
    await changes.ready;
    expect((await waiting).done).toBe(true);
  });

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
    await new Promise<void>((close) => answer({ nextChange: forEver, close }));
  });
});

describe("a watch of a storage that tells the versions of texts", () => {
  it("is given the texts alone that it has not seen, and tells of those that differ", async () => {
    const memory = oneFile();
    const stored = new Map(["/a", "/b", "/c"].map((path) => [path, { version: "1", content: "x" }]));
    const given: string[][] = [];
    memory.snapshot = async (known) => {
      const files = Array.from(stored, ([path, { version, content }]) => ({
        path,
        version,
        content: known.get(path) === version ? null : content,
      }));
      given.push(files.flatMap(({ path, content }) => (content === null ? [] : [path])));
      return { files, directories: ["/d"] };
    };
    const changes = watchMemory(memory, { pollIntervalMs: 1 });
    await changes.ready;
    stored.set("/a", { version: "2", content: "y" }).set("/b", { version: "2", content: "x" });
    expect((await changes.next()).value).toEqual({ path: "/a", kind: "file", operation: "modified" });
    stored.delete("/c");
    expect((await changes.next()).value).toEqual({ path: "/c", kind: "file", operation: "deleted" });
    await changes.return();
    expect(given.filter((paths) => paths.length > 0)).toEqual([
      ["/a", "/b", "/c"],
      ["/a", "/b"],
    ]);
  });
});

describe("a watch whose consumer asks no more", () => {
  it("listens to nothing any more once its signal has aborted", async () => {
    const [end, ofMemory] = [new AbortController(), new AbortController()];
    const memory = openMemory(new InMemoryStore(), freshAddress()).with({ signal: ofMemory.signal });
    const changes = memory.watch({ signal: end.signal, pollIntervalMs: never });
    await changes.ready;
    const first = changes.next();
    await memory.write("/a", "x");
    expect((await first).value).toEqual({ path: "/a", kind: "file", operation: "created" });
    end.abort();
    expect(getEventListeners(ofMemory.signal, "abort")).toEqual([]);
  });

  it("is told of no change of this process any more once its signal has aborted", async () => {
    const end = new AbortController();
    const listeners = new Set<() => void>();
    const listenHere = (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
    const changes = watchMemory(oneFile({ listenHere }), { signal: end.signal, pollIntervalMs: never });
    await changes.ready;
    const waiting = changes.next();
    expect(listeners.size).toBe(1);
    end.abort();
    expect(listeners.size).toBe(0);
    await waiting;
  });
});

describe("a signal", () => {
  it("has one listener during any number of watches, and none after the last", async () => {
    const { signal } = new AbortController();
    const watches = Array.from({ length: 20 }, () =>
      watchMemory(oneFile({ signals: [signal] }), { signal, pollIntervalMs: never }),
    );
    const waiting = watches.map((changes) => changes.next());
    await Promise.all(watches.map(({ ready }) => ready));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    for (const changes of watches) await changes.return();
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await Promise.all(waiting);
  });

  it("ends all watches that share it", async () => {
    const end = new AbortController();
    const watches = [1, 2].map(() => watchMemory(oneFile(), { signal: end.signal, pollIntervalMs: never }));
    const waiting = watches.map((changes) => changes.next());
    await Promise.all(watches.map(({ ready }) => ready));
    end.abort();
    expect((await Promise.all(waiting)).map(({ done }) => done)).toEqual([true, true]);
  });

  it("has no listener of a watch whose first look has failed, though nobody leaves the watch", async () => {
    const { signal } = new AbortController();
    const version = (): Promise<never> => Promise.reject(new Error("gone"));
    const changes = watchMemory(oneFile({ version }), { signal });
    await expect(changes.ready).rejects.toThrow("gone");
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await expect(changes.next()).rejects.toThrow("gone");
  });
});
