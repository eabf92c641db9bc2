import type { MemoryChange, MemoryChanges } from "./memory-changes.js";
import { Signal } from "./signal.js";

/** The changes of one memory in a tree. */
export interface TreePart {
  changes: MemoryChanges;
  /** Returns the change with its path in the tree, or null if the tree hides it. */
  toTree: (change: MemoryChange) => MemoryChange | null;
}

/** Merges the changes of several memories into one stream. The stream reads one change ahead in each memory. */
export function mergeChanges(parts: readonly TreePart[]): MemoryChanges {
  const changes = generateChanges(parts);
  const ready = Promise.all(parts.map((part) => part.changes.ready)).then(() => undefined);
  ready.catch(() => undefined);
  return {
    ready,
    next: () => changes.next(),
    return: async () => {
      await endAll(parts);
      return changes.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

interface Received {
  part: TreePart;
  result: IteratorResult<MemoryChange, unknown> | { error: unknown };
}

async function* generateChanges(parts: readonly TreePart[]): AsyncGenerator<MemoryChange, undefined> {
  const signal = new Signal();
  const received: Received[] = [];
  // Promise.race is not used: its waits would pile up for a memory that rarely changes.
  const request = (part: TreePart): void => {
    const receive = (result: Received["result"]): void => {
      received.push({ part, result });
      signal.notify();
    };
    part.changes.next().then(receive, (error: unknown) => receive({ error }));
  };
  let open = parts.length;
  try {
    parts.forEach(request);
    while (open > 0) {
      const first = received.shift();
      if (first === undefined) {
        await signal.wait();
        continue;
      }
      const { part, result } = first;
      if ("error" in result) throw result.error;
      if (result.done === true) {
        open -= 1;
        continue;
      }
      const change = part.toTree(result.value);
      if (change !== null) yield change;
      request(part);
    }
    return undefined;
  } finally {
    await endAll(parts);
  }
}

async function endAll(parts: readonly TreePart[]): Promise<void> {
  await Promise.all(parts.map((part) => part.changes.return()));
}
