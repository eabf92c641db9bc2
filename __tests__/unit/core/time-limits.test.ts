import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { type Memory, MemoryError, openMemory } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { HangingStore, LosingStore } from "../../helpers/hanging-store.js";

const stopped = new Error("stopped");

/** Every call of a memory that reads, and every one that changes it. */
const reads: Record<string, (memory: Memory) => Promise<unknown>> = {
  read: (memory) => memory.read("/a"),
  list: (memory) => memory.list(),
  stat: (memory) => memory.stat("/a"),
  snapshot: (memory) => memory.snapshot(),
  outline: (memory) => memory.outline(),
};
const changes: Record<string, (memory: Memory) => Promise<unknown>> = {
  append: (memory) => memory.append("/a", "x"),
  update: (memory) => memory.update("/a", "x", "y"),
  delete: (memory) => memory.delete("/a"),
  write: (memory) => memory.write("/a", "x"),
  edit: (memory) => memory.edit("/a", (text) => text),
  rename: (memory) => memory.rename("/a", "/b"),
};

function hanging(options: { timeoutMs?: number } = {}): { store: HangingStore; memory: Memory } {
  const store = new HangingStore();
  store.hang();
  return { store, memory: openMemory(store, freshAddress(), options) };
}

describe("a storage that never answers one call", () => {
  it.each(Object.entries({ ...reads, ...changes }))(
    "ends that %s, and then answers the next call",
    async (_name, call) => {
      const store = new LosingStore();
      const memory = openMemory(store, freshAddress());
      await memory.write("/a", "x");
      store.next = 1;
      const [hung, next] = await Promise.allSettled([call(memory.with({ timeoutMs: 50 })), memory.append("/b", "y")]);
      expect(hung).toMatchObject({ status: "rejected", reason: { code: "EIO" } });
      expect(next.status).toBe("fulfilled");
      expect(await memory.read("/b")).toBe("y");
    },
  );

  it("is asked for the next call only when the last step of a call that its signal ended is over", async () => {
    const { store, memory } = hanging();
    const controller = new AbortController();
    const ended = memory.with({ signal: controller.signal }).append("/a", "first");
    await turn();
    const next = memory.append("/a", "second");
    controller.abort(stopped);
    await expect(ended).rejects.toBe(stopped);
    await turn();
    expect(store.asked).toBe(1);
    store.goOn();
    await next;
    expect(await memory.read("/a")).toBe("second");
  });
});

describe("a storage that does not answer", () => {
  it.each(Object.entries(reads))("ends %s with EIO when its time is up", async (_name, call) => {
    const { memory } = hanging({ timeoutMs: 5 });
    await expect(call(memory)).rejects.toMatchObject({
      code: "EIO",
      message: "EIO: no answer within 5 ms (timeoutMs)",
    });
  });

  it.each(Object.entries(changes))("ends %s with EIO, which says that the outcome is unknown", async (_name, call) => {
    const { memory } = hanging({ timeoutMs: 5 });
    await expect(call(memory)).rejects.toMatchObject({
      code: "EIO",
      message: "EIO: no answer within 5 ms (timeoutMs); the outcome is unknown",
    });
  });

  it.each(Object.entries({ ...reads, ...changes }))("ends %s with the reason of an abort", async (_name, call) => {
    const { memory } = hanging();
    const controller = new AbortController();
    const outcome = call(memory.with({ signal: controller.signal })).catch((error: unknown) => error);
    await turn();
    controller.abort(stopped);
    expect(await outcome).toBe(stopped);
  });

  it("is asked nothing where the signal has aborted before", async () => {
    const { store, memory } = hanging();
    const aborted = memory.with({ signal: AbortSignal.abort(stopped) });
    for (const call of Object.values({ ...reads, ...changes })) await expect(call(aborted)).rejects.toBe(stopped);
    expect(store.asked).toBe(0);
  });

  it("is asked nothing more, when it goes on, for calls that were over by then", async () => {
    const { store, memory } = hanging();
    const controller = new AbortController();
    const first = memory.append("/a", "first");
    const queued = memory.with({ signal: controller.signal }).append("/a", "second");
    const underWay = openMemory(store, freshAddress(), { timeoutMs: 1 }).append("/a", "third");
    await expect(underWay).rejects.toMatchObject({ code: "EIO" });
    controller.abort(stopped);
    await expect(queued).rejects.toBe(stopped);
    store.goOn();
    await first;
    expect(await memory.read("/a")).toBe("first");
    expect(await store.search(["memory"], {})).toHaveLength(1);
  });

  it("leaves no unhandled rejection where it fails later", async () => {
    const { store, memory } = hanging({ timeoutMs: 1 });
    await expect(memory.read("/a")).rejects.toMatchObject({ code: "EIO" });
    store.goOn(new Error("too late"));
    // Jest fails a test during which a rejection goes unhandled.
    await turn();
  });
});

describe("a signal", () => {
  it("has one listener during any number of calls, and none after them", async () => {
    const { signal } = new AbortController();
    const store = new HangingStore();
    const memory = openMemory(store, freshAddress()).with({ signal });
    await memory.write("/a", "x");
    const calls = Array.from({ length: 1000 }, () => memory.read("/a"));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await Promise.all(calls);
    await expect(memory.read("/b")).rejects.toMatchObject({ code: "ENOENT" });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("ends the calls beside those of another", async () => {
    const { memory } = hanging();
    const [first, second] = [new AbortController(), new AbortController()];
    const both = memory.with({ signal: first.signal }).with({ signal: second.signal });
    first.abort(stopped);
    await expect(both.read("/a")).rejects.toBe(stopped);
    const outcome = memory
      .with({ signal: second.signal })
      .with({ timeoutMs: 60_000 })
      .read("/a")
      .catch((error: unknown) => error);
    second.abort(stopped);
    expect(await outcome).toBe(stopped);
  });
});

describe("no process is kept alive", () => {
  const countTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

  it("by the timer of a call", async () => {
    const { store, memory } = hanging();
    const before = countTimers();
    const call = memory.list("/");
    expect(countTimers()).toBe(before);
    // Its time would be up while the worker runs another file, with nobody there for the failure.
    store.goOn();
    expect(await call).toEqual([]);
  });

  it("by the wait for the last step of a call that its signal ended", async () => {
    const { store, memory } = hanging();
    const before = countTimers();
    const controller = new AbortController();
    const ended = memory.with({ signal: controller.signal }).append("/a", "x");
    await turn();
    controller.abort(stopped);
    await expect(ended).rejects.toBe(stopped);
    expect(countTimers()).toBe(before);
    store.goOn();
  });
});

describe("the options of a memory's use", () => {
  it.each([0, -1, 1.5, Number.NaN, 2 ** 31, "100", null])("refuse a timeoutMs of %p", (timeoutMs) => {
    const words = /timeoutMs: must be a whole number of ms from 1 to 2147483647, or Infinity for no limit \(given /;
    const memory = openMemory(new HangingStore(), freshAddress());
    for (const use of [
      () => openMemory(new HangingStore(), freshAddress(), { timeoutMs: timeoutMs as number }),
      () => memory.with({ timeoutMs: timeoutMs as number }),
    ]) {
      expect(use).toThrow(TypeError);
      expect(use).toThrow(words);
    }
  });

  it("refuse what is no signal, and what is not known", () => {
    const memory = openMemory(new HangingStore(), freshAddress());
    expect(() => memory.with({ signal: {} as AbortSignal })).toThrow(
      "signal: must be an AbortSignal (given an object)",
    );
    expect(() => memory.with({ actor: { name: "ada" } as never })).toThrow(/unknown option "actor.name"/);
  });

  it("wait without end by Infinity", async () => {
    const { store, memory } = hanging({ timeoutMs: Infinity });
    const call = memory.write("/a", "x");
    await turn();
    store.goOn();
    expect(await call).toMatchObject({ sizeBytes: 1 });
    expect(MemoryError.isInstance(await memory.read("/b").catch((error: unknown) => error))).toBe(true);
  });
});
