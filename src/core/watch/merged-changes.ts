import { Bell } from "./bell.js";
import type { MemoryChange, MemoryChanges } from "./memory-changes.js";

/** The changes of one memory of a tree. */
export interface TreePart {
  changes: MemoryChanges;
  /** The change as the tree shows it; null where the tree hides it. */
  shown: (change: MemoryChange) => MemoryChange | null;
}

/** The changes of several memories in one stream. Of each it holds one that has not been asked for yet. */
export function mergedChanges(parts: readonly TreePart[]): MemoryChanges {
  const changes = told(parts);
  const ready = Promise.all(parts.map((part) => part.changes.ready)).then(() => undefined);
  ready.catch(() => undefined);
  const end = (): Promise<unknown> => Promise.all(parts.map((part) => part.changes.return()));
  return {
    ready,
    next: () => changes.next(),
    return: async () => {
      await end();
      return changes.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

interface Arrived {
  part: TreePart;
  result: IteratorResult<MemoryChange, unknown> | { error: unknown };
}

async function* told(parts: readonly TreePart[]): AsyncGenerator<MemoryChange, undefined> {
  const bell = new Bell();
  const arrived: Arrived[] = [];
  // Not Promise.race, which would let the waits for a quiet memory pile up.
  const ask = (part: TreePart): void => {
    const arrive = (result: Arrived["result"]): void => {
      arrived.push({ part, result });
      bell.ring();
    };
    part.changes.next().then(arrive, (error: unknown) => arrive({ error }));
  };
  let open = parts.length;
  try {
    parts.forEach(ask);
    while (open > 0) {
      const first = arrived.shift();
      if (first === undefined) {
        await bell.heard();
        continue;
      }
      const { part, result } = first;
      if ("error" in result) throw result.error;
      if (result.done === true) {
        open -= 1;
        continue;
      }
      const change = part.shown(result.value);
      if (change !== null) yield change;
      ask(part);
    }
    return undefined;
  } finally {
    await Promise.all(parts.map((part) => part.changes.return()));
  }
}
