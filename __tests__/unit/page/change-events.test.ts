import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { Hono } from "hono";
import type { Memory } from "../../../src/core/memory.js";
import { Signal } from "../../../src/core/watch/signal.js";
import type { MemoryChange, MemoryChanges } from "../../../src/core/watch/memory-changes.js";
import { openMemory } from "../../../src/open-memory.js";
import { type EventTimes, eventTimes, sendChanges } from "../../../src/page/live/change-events.js";
import { eventsOf } from "../../helpers/page-events.js";

const newMemory = (): Memory => openMemory(new InMemoryStore(), { nodeId: "watched" });

interface Opened {
  events: AsyncGenerator<string, undefined>;
  response: Response;
  changes: MemoryChanges;
  /** How often the stream has said that it watches nothing any more. */
  ends: () => number;
}

/** As a route answers. */
function answer(
  changes: MemoryChanges,
  ended: () => void,
  times: EventTimes = eventTimes,
  isReachable = async (): Promise<boolean> => true,
): Response | Promise<Response> {
  return new Hono().get("/", (http) => sendChanges(http, changes, isReachable, ended, times)).request("/");
}

async function opened(
  memory: Memory,
  times: Partial<EventTimes> = {},
  isReachable?: () => Promise<boolean>,
): Promise<Opened> {
  const changes = memory.watch();
  await changes.ready;
  let count = 0;
  const ended = (): void => {
    count += 1;
  };
  const response = await answer(changes, ended, { ...eventTimes, ...times }, isReachable);
  return { events: eventsOf(response), response, changes, ends: () => count };
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
    const events = eventsOf(await answer(changes, () => undefined));
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
    const { response } = await opened(newMemory(), { heartbeatMs: 1 });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect([await reader?.read(), await reader?.read()].map((read) => read?.value)).toEqual([
      "data: ready\n\n",
      ":\n\n",
    ]);
    await reader?.cancel();
  });

  // Requirement: page.live
  it("say in place of a heartbeat that the database does not answer", async () => {
    const { events } = await opened(newMemory(), { heartbeatMs: 1 }, async () => false);
    expect([await events.next(), await events.next()]).toMatchObject([{ value: "ready" }, { value: "unreachable" }]);
    await events.return(undefined);
  });
});
