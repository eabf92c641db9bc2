import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import type { Memory } from "../../../src/core/memory.js";
import { ChangeWatch, type MemoryChange, type Watcher } from "../../../src/mcp/change-watch.js";
import { openMemory } from "../../../src/open-memory.js";

const intervalMs = 1000;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** A watch on a memory whose commands are counted, and which fails while it is told to. */
function watched() {
  const memory = openMemory(new InMemoryStore(), { nodeId: "n" });
  const commands: string[] = [];
  const state = { isDown: false };
  const counted = new Proxy(memory, {
    get: (target, name) => {
      if (name !== "outline" && name !== "snapshot") return Reflect.get(target, name) as unknown;
      commands.push(name);
      if (state.isDown) throw new Error("down");
      return target[name].bind(target);
    },
  });
  return { memory, watch: new ChangeWatch(async () => counted, intervalMs), commands, state };
}

class TestWatcher implements Watcher {
  open = true;
  subscribed = true;
  readonly told: { isListChanged: boolean; paths: string[] }[] = [];
  isOpen = () => this.open;
  isSubscribed = () => this.subscribed;
  tell = ({ isListChanged, paths }: MemoryChange) => void this.told.push({ isListChanged, paths: [...paths] });
}

async function beginWith(watch: ChangeWatch): Promise<TestWatcher> {
  const watcher = new TestWatcher();
  watch.add(watcher);
  await watch.look();
  return watcher;
}

const write = (memory: Memory, path: string) => memory.write(path, path);

describe("a watch on a memory", () => {
  // Requirement: mcp.no-watch-without-watchers
  it("looks at the interval while somebody is subscribed, and no longer", async () => {
    const { memory, watch, commands } = watched();
    const watcher = await beginWith(watch);
    await write(memory, "/a");
    await jest.advanceTimersByTimeAsync(intervalMs);
    expect(watcher.told).toEqual([{ isListChanged: true, paths: ["/a"] }]);
    watcher.subscribed = false;
    await jest.advanceTimersByTimeAsync(intervalMs);
    commands.length = 0;
    await write(memory, "/b");
    await jest.advanceTimersByTimeAsync(10 * intervalMs);
    expect(commands).toEqual([]);
  });

  it("looks no more once its last watcher has closed", async () => {
    const { watch, commands } = watched();
    const watcher = await beginWith(watch);
    watcher.open = false;
    commands.length = 0;
    await jest.advanceTimersByTimeAsync(10 * intervalMs);
    await watch.look();
    expect(commands).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it("looks no more once it is closed", async () => {
    const { watch, commands } = watched();
    await beginWith(watch);
    commands.length = 0;
    watch.close();
    await watch.look();
    expect(jest.getTimerCount()).toBe(0);
    expect(commands).toEqual([]);
  });

  // Requirement: mcp.no-watch-without-watchers
  it("costs nothing while nobody watches", async () => {
    const { watch, commands } = watched();
    await watch.look();
    expect(commands).toEqual([]);
  });

  it("reads no texts for those who want the list alone", async () => {
    const { memory, watch, commands } = watched();
    const watcher = new TestWatcher();
    watcher.subscribed = false;
    watch.add(watcher);
    await watch.look();
    await write(memory, "/a");
    await watch.look();
    expect(watcher.told).toEqual([{ isListChanged: true, paths: ["/a"] }]);
    expect(commands).toEqual(["outline", "outline"]);
  });

  it("tells nothing of what was before the first look", async () => {
    const { memory, watch } = watched();
    await write(memory, "/a");
    const watcher = await beginWith(watch);
    await watch.look();
    expect(watcher.told).toEqual([]);
  });

  it("begins anew after a time without watchers", async () => {
    const { memory, watch } = watched();
    const first = await beginWith(watch);
    first.open = false;
    await watch.look();
    await write(memory, "/a");
    const second = await beginWith(watch);
    expect(second.told).toEqual([]);
  });

  it("shares one look among all calls that wait, but not the one that runs already", async () => {
    const { watch, commands } = watched();
    await beginWith(watch);
    commands.length = 0;
    const running = watch.look();
    while (commands.length === 0) await Promise.resolve();
    await Promise.all([running, ...Array.from({ length: 10 }, () => watch.look())]);
    expect(commands.filter((name) => name === "outline")).toHaveLength(2);
  });

  it("tells after a failure what changed while it lasted", async () => {
    const { memory, watch, state } = watched();
    const watcher = await beginWith(watch);
    state.isDown = true;
    await write(memory, "/a");
    await expect(watch.look()).rejects.toThrow("down");
    await jest.advanceTimersByTimeAsync(3 * intervalMs);
    expect(watcher.told).toEqual([]);
    state.isDown = false;
    await jest.advanceTimersByTimeAsync(intervalMs);
    expect(watcher.told).toEqual([{ isListChanged: true, paths: ["/a"] }]);
  });
});
