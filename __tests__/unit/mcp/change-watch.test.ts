import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { InMemoryStore, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";
import { ChangeWatch, type ResourceChange, type Watcher } from "../../../src/mcp/change-watch.js";
import { openMemory } from "../../../src/index.js";

const intervalMs = 1000;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** Counts what memories ask it for, and fails while it is told to. */
class CountingStore extends InMemoryStore {
  asked = 0;
  isDown = false;

  override async batch<Operations extends readonly Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    this.asked += 1;
    if (this.isDown) throw new Error("down");
    return super.batch(operations);
  }
}

/** A watch on a memory, and the same memory as another process has it: what it changes is told to nobody. */
function watched() {
  const store = new CountingStore();
  const memory = openMemory(store, { nodeId: "n" });
  const elsewhere = async (path: string): Promise<void> => {
    const { asked, isDown } = store;
    store.isDown = false;
    await store.put(["memory", "n", "global"], path, { content: path });
    Object.assign(store, { asked, isDown });
  };
  return { store, memory, elsewhere, watch: new ChangeWatch(async () => memory, intervalMs) };
}

class TestWatcher implements Watcher {
  open = true;
  subscribed = true;
  readonly told: { isListChanged: boolean; paths: string[] }[] = [];
  isOpen = () => this.open;
  isSubscribed = () => this.subscribed;
  notify = ({ isListChanged, paths }: ResourceChange) => void this.told.push({ isListChanged, paths: [...paths] });
}

async function beginWith(watch: ChangeWatch): Promise<TestWatcher> {
  const watcher = new TestWatcher();
  watch.add(watcher);
  await watch.refresh();
  return watcher;
}

/** Lets what is under way end. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await jest.advanceTimersByTimeAsync(0);
}

describe("a watch of a server", () => {
  it("looks at the interval while somebody is subscribed, and no longer", async () => {
    const { elsewhere, watch, store } = watched();
    const watcher = await beginWith(watch);
    await elsewhere("/a");
    await jest.advanceTimersByTimeAsync(intervalMs);
    expect(watcher.told).toEqual([{ isListChanged: true, paths: ["/a"] }]);
    watcher.subscribed = false;
    await jest.advanceTimersByTimeAsync(intervalMs);
    store.asked = 0;
    await elsewhere("/b");
    await jest.advanceTimersByTimeAsync(10 * intervalMs);
    expect(store.asked).toBe(0);
  });

  it("tells at once what is changed through its own process, files of one step together", async () => {
    const { memory, watch } = watched();
    await memory.write("/a/1", "x");
    await memory.write("/a/2", "x");
    const watcher = await beginWith(watch);
    await memory.delete("/a");
    await settle();
    await memory.write("/b", "x");
    await settle();
    await memory.write("/b", "y");
    await settle();
    expect(watcher.told).toEqual([
      { isListChanged: true, paths: ["/a/2", "/a/1"] },
      { isListChanged: true, paths: ["/b"] },
      { isListChanged: false, paths: ["/b"] },
    ]);
    watch.close();
  });

  it("looks no more once its last watcher has closed", async () => {
    const { watch, store } = watched();
    const watcher = await beginWith(watch);
    watcher.open = false;
    await jest.advanceTimersByTimeAsync(intervalMs);
    store.asked = 0;
    await jest.advanceTimersByTimeAsync(10 * intervalMs);
    await watch.refresh();
    expect(store.asked).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });

  it("misses nothing for a watcher that follows its beginning", async () => {
    const { elsewhere, watch } = watched();
    await watch.begin();
    const watcher = new TestWatcher();
    watch.add(watcher);
    await elsewhere("/a");
    await jest.advanceTimersByTimeAsync(intervalMs);
    expect(watcher.told).toEqual([{ isListChanged: true, paths: ["/a"] }]);
    watch.close();
  });

  it("looks no more if no watcher follows its beginning", async () => {
    const { watch, store } = watched();
    await watch.begin();
    await jest.advanceTimersByTimeAsync(intervalMs);
    store.asked = 0;
    await jest.advanceTimersByTimeAsync(10 * intervalMs);
    expect(store.asked).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });

  it("looks no more once it is closed", async () => {
    const { watch, store } = watched();
    await beginWith(watch);
    watch.close();
    await settle();
    store.asked = 0;
    await watch.refresh();
    expect(jest.getTimerCount()).toBe(0);
    expect(store.asked).toBe(0);
  });

  it("costs nothing while nobody watches", async () => {
    const { watch, store } = watched();
    await watch.refresh();
    expect(store.asked).toBe(0);
  });

  it("looks for those who want the list alone when it is told to, and only for files that came or went", async () => {
    const { memory, watch, store } = watched();
    const watcher = new TestWatcher();
    watcher.subscribed = false;
    watch.add(watcher);
    await watch.refresh();
    await memory.write("/a", "x");
    store.asked = 0;
    await jest.advanceTimersByTimeAsync(10 * intervalMs);
    expect(store.asked).toBe(0);
    await watch.refresh();
    await memory.write("/a", "y");
    await watch.refresh();
    expect(watcher.told).toEqual([{ isListChanged: true, paths: ["/a"] }]);
  });

  it("goes on for those who want the list when the last subscriber has gone", async () => {
    const { memory, watch } = watched();
    const subscriber = await beginWith(watch);
    const watcher = new TestWatcher();
    watcher.subscribed = false;
    watch.add(watcher);
    subscriber.open = false;
    await jest.advanceTimersByTimeAsync(intervalMs);
    await memory.write("/a", "x");
    await watch.refresh();
    expect(watcher.told).toEqual([{ isListChanged: true, paths: ["/a"] }]);
  });

  it("tells nothing of what was before the first look", async () => {
    const { memory, watch } = watched();
    await memory.write("/a", "x");
    const watcher = await beginWith(watch);
    await jest.advanceTimersByTimeAsync(3 * intervalMs);
    expect(watcher.told).toEqual([]);
    watch.close();
  });

  it("begins anew after a time without watchers", async () => {
    const { memory, watch } = watched();
    const first = await beginWith(watch);
    first.open = false;
    await jest.advanceTimersByTimeAsync(intervalMs);
    await memory.write("/a", "x");
    const second = await beginWith(watch);
    await jest.advanceTimersByTimeAsync(intervalMs);
    expect(second.told).toEqual([]);
    watch.close();
  });

  it("shares one look at the list among all calls that wait, but not the one that runs already", async () => {
    const { watch, store } = watched();
    const watcher = new TestWatcher();
    watcher.subscribed = false;
    watch.add(watcher);
    const running = watch.refresh();
    while (store.asked === 0) await Promise.resolve();
    await Promise.all([running, ...Array.from({ length: 10 }, () => watch.refresh())]);
    expect(store.asked).toBe(2);
  });

  it("tells after a failure what changed while it lasted", async () => {
    const { elsewhere, watch, store } = watched();
    const watcher = await beginWith(watch);
    store.isDown = true;
    await elsewhere("/a");
    await jest.advanceTimersByTimeAsync(3 * intervalMs);
    expect(watcher.told).toEqual([]);
    store.isDown = false;
    await jest.advanceTimersByTimeAsync(2 * intervalMs);
    expect(watcher.told).toEqual([{ isListChanged: true, paths: ["/a"] }]);
    watch.close();
  });

  it("whose first look fails tells so, and begins when the storage is back", async () => {
    const { elsewhere, watch, store } = watched();
    store.isDown = true;
    await expect(beginWith(watch)).rejects.toMatchObject({ code: "EIO" });
    store.isDown = false;
    const watcher = new TestWatcher();
    watch.add(watcher);
    await jest.advanceTimersByTimeAsync(intervalMs);
    await elsewhere("/a");
    await jest.advanceTimersByTimeAsync(2 * intervalMs);
    expect(watcher.told).toEqual([{ isListChanged: true, paths: ["/a"] }]);
    watch.close();
  });
});
