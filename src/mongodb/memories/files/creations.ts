import type { CheckedAddress } from "../../../core/values/address.js";
import { type CallContext, createSignal } from "../../../core/runtime/call.js";
import { prefixOf } from "../../../core/values/paths.js";
import type { Made, NewFile } from "./tree-steps.js";

/** What one transaction makes at most. */
const maxBatch = { files: 100, chars: 4_000_000 };

/** Makes files of one memory by one transaction. @param call ends when nobody waits for any of them */
export type MakeFiles = (
  address: CheckedAddress,
  files: readonly NewFile[],
  call: CallContext | undefined,
) => Promise<Made[]>;

interface Waiting {
  file: NewFile;
  call: CallContext | undefined;
  tell: (made: Made) => void;
  fail: (error: unknown) => void;
}

/**
 * Makes new files, those of one memory one batch after another: of transactions that make files in one directory at the
 * same time the server ends all but one, and 50 in parallel make fewer files than one after the other. Whoever comes
 * while a transaction runs goes into the next one together. What is made by other processes is not known here, and
 * races.
 */
export class Creations {
  readonly #make: MakeFiles;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(make: MakeFiles) {
    this.#make = make;
  }

  /** @param memoryKey of the address */
  create(memoryKey: string, address: CheckedAddress, file: NewFile, call: CallContext | undefined): Promise<Made> {
    return new Promise((tell, fail) => {
      const waiting = { file, call, tell, fail };
      const others = this.#waiting.get(memoryKey);
      if (others !== undefined) {
        others.push(waiting);
        return;
      }
      this.#waiting.set(memoryKey, [waiting]);
      void this.#work(memoryKey, address);
    });
  }

  async #work(memoryKey: string, address: CheckedAddress): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.get(memoryKey) ?? [];
      const batch = nextBatch(waiting);
      if (batch.length === 0) break;
      this.#waiting.set(
        memoryKey,
        waiting.filter((each) => !batch.includes(each)),
      );
      await this.#makeBatch(address, batch);
    }
    this.#waiting.delete(memoryKey);
  }

  async #makeBatch(address: CheckedAddress, batch: readonly Waiting[]): Promise<void> {
    const wanted = batch.filter(({ call, fail }) => {
      if (call?.aborted !== true) return true;
      fail(call.reason);
      return false;
    });
    if (wanted.length === 0) return;
    try {
      const made = await this.#make(
        address,
        wanted.map(({ file }) => file),
        sharedCall(wanted.map(({ call }) => call)),
      );
      wanted.forEach(({ tell }, index) => tell(made[index] ?? "exists"));
    } catch (error) {
      for (const { fail } of wanted) fail(error);
    }
  }
}

/** The first ones that do not stand in each other's way, in their order. */
function nextBatch(waiting: readonly Waiting[]): Waiting[] {
  const batch: Waiting[] = [];
  let chars = 0;
  for (const each of waiting) {
    const { path, text } = each.file;
    chars += text.length;
    if (batch.length === maxBatch.files || (batch.length > 0 && chars > maxBatch.chars)) break;
    if (batch.every(({ file }) => !meet(file.path, path))) batch.push(each);
  }
  return batch;
}

function meet(one: string, other: string): boolean {
  return one === other || one.startsWith(prefixOf(other)) || other.startsWith(prefixOf(one));
}

/** A call that is over when all of these are. */
export function sharedCall(calls: readonly (CallContext | undefined)[]): CallContext | undefined {
  const limited = calls.filter((call) => call !== undefined);
  const [only] = limited;
  if (limited.length < calls.length || only === undefined) return undefined;
  return limited.length === 1 ? only : new SharedCall(limited);
}

class SharedCall implements CallContext {
  /** Each change names its own. */
  readonly actor = null;
  readonly timeoutMs: number;
  readonly #calls: readonly CallContext[];
  #signal: AbortSignal | undefined;

  constructor(calls: readonly CallContext[]) {
    this.#calls = calls;
    this.timeoutMs = Math.max(...calls.map(({ timeoutMs }) => timeoutMs));
  }

  get aborted(): boolean {
    return this.#calls.every(({ aborted }) => aborted);
  }

  get reason(): unknown {
    return this.#calls.at(-1)?.reason;
  }

  get signal(): AbortSignal {
    return (this.#signal ??= createSignal(this));
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  onAbort(listener: () => void): void {
    for (const call of this.#calls) {
      call.onAbort(() => {
        if (this.aborted) listener();
      });
    }
  }
}
