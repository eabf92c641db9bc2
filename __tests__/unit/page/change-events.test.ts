import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import type { Memory } from "../../../src/core/memory.js";
import { Signal } from "../../../src/core/watch/signal.js";
import type { MemoryChange, MemoryChanges } from "../../../src/core/watch/memory-changes.js";
import { openMemory } from "../../../src/open-memory.js";
import { changeEvents, type EventTimes, eventTimes } from "../../../src/page/change-events.js";
import { eventsOf } from "../../helpers/page-events.js";

const newMemory = (): Memory => openMemory(new InMemoryStore(), { nodeId: "watched" });

interface Opened {
  events: AsyncGenerator<string, undefined>;
  stream: ReadableStream<Uint8Array>;
  changes: MemoryChanges;
  /** How often the stream has said that it watches nothing any more. */
  ends: () => number;
}

async function opened(memory: Memory, times: Partial<EventTimes> = {}): Promise<Opened> {
  const changes = memory.watch();
  await changes.ready;
  let count = 0;
  const ended = (): void => {
    count += 1;
  };
  const stream = changeEvents(changes, ended, { ...eventTimes, ...times });
  return { events: eventsOf(new Response(stream)), stream, changes, ends: () => count };
}

describe("the events of a memory", () => {
  // Requirement: page.live
  it("begin when nothing escapes any more, and follow each change", async () => {
    const memory = newMemory();
    const { events } = await opened(memory, { spacingMs: 1 });
    expect(await events.next()).toEqual({ done: false, value: "ready" });
    for (const text of ["1", "2"]) {
      await memory.write("/a", text);
      expect(await events.next()).toEqual({ done: false, value: "changed" });
    }
    await events.return(undefined);
  });

  it("tell once of all that has changed while nobody read", async () => {
    const allAsked = new Signal();
    const over = new Signal();
    async function* hundredChanges(): AsyncGenerator<MemoryChange, undefined> {
      for (let index = 0; index < 100; index += 1) yield { path: `/${index}`, kind: "file", operation: "created" };
      allAsked.notify();
      await over.wait();
      return undefined;
    }
    const changes: MemoryChanges = Object.assign(hundredChanges(), {
      ready: Promise.resolve(),
      return: async () => ({ done: true, value: undefined }) as const,
    });
    const events = eventsOf(new Response(changeEvents(changes, () => undefined)));
    await allAsked.wait();
    expect(await events.next()).toMatchObject({ value: "ready" });
    expect(await events.next()).toMatchObject({ value: "changed" });
    over.notify();
    expect(await events.next()).toMatchObject({ done: true });
  });

  it("end the watch once, when the reader goes", async () => {
    const { events, changes, ends } = await opened(newMemory());
    await events.next();
    await events.return(undefined);
    expect(ends()).toBe(1);
    expect(await changes.next()).toEqual({ done: true, value: undefined });
  });

  it("end by themselves after their time", async () => {
    const { events, changes, ends } = await opened(newMemory(), { lifetimeMs: 1 });
    expect(await events.next()).toMatchObject({ value: "ready" });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(ends()).toBe(1);
    expect(await changes.next()).toEqual({ done: true, value: undefined });
  });

  it("end when the watch fails", async () => {
    const store = new InMemoryStore();
    const gone = new AbortController();
    const { events, ends } = await opened(openMemory(store, { nodeId: "watched" }).with({ signal: gone.signal }));
    await events.next();
    gone.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(ends()).toBe(1);
  });

  it("are never silent for long", async () => {
    const { stream } = await opened(newMemory(), { heartbeatMs: 1 });
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    expect([await reader.read(), await reader.read()].map(({ value }) => value)).toEqual(["data: ready\n\n", ":\n\n"]);
    await reader.cancel();
  });
});
