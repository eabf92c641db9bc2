import type { GuardedChange } from "./access.js";
import type { MemoryBackend } from "../backend.js";
import type { FileStat } from "../memory.js";
import { lostRace, maxAttempts, pause } from "../runtime/lost-race.js";
import type { Stage as Act, CallContext } from "../runtime/call.js";

export type BackendCommand<T> = (backend: MemoryBackend, call: CallContext | undefined) => Promise<T>;

/** What is to be stored, before the guards have seen it. */
export type IntendedChange = Pick<GuardedChange, "command" | "path" | "content">;

/** Answers the text to store. It throws where nothing may be stored, or where the call is over. */
export type AskGuards = (change: IntendedChange, call: CallContext | undefined) => Promise<string>;

/** A command, and what it does at the moment, for the message of a call that takes too long. */
interface GuardedCommand<T> {
  act: () => Act;
  command: BackendCommand<T>;
}

/** Stores the text that the guards let be stored. */
export function guardedStore<T>(
  askGuards: AskGuards,
  change: IntendedChange,
  store: (backend: MemoryBackend, text: string) => Promise<T>,
): GuardedCommand<T> {
  let act: Act = "guard";
  const command: BackendCommand<T> = async (backend, call) => {
    const text = await askGuards(change, call);
    act = "change";
    return store(backend, text);
  };
  return { act: () => act, command };
}

/**
 * The guards may take their time, so the text is stored only if the file still has the text from which it was made. If
 * the guards have changed the text, the answer has it.
 */
export function guardedEdit(
  askGuards: AskGuards,
  path: string,
  change: (text: string) => string,
): GuardedCommand<FileStat & { content?: string }> {
  let act: Act = "guard";
  const command: BackendCommand<FileStat & { content?: string }> = async (backend, call) => {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const read = await backend.read(path);
      const content = change(read);
      const text = await askGuards({ command: "edit", path, content }, call);
      act = "change";
      let isRaced = false;
      const swap = (present: string): string => {
        isRaced = present !== read;
        if (isRaced) throw lostRace();
        return text;
      };
      try {
        const stat = await backend.edit(path, swap);
        return text === content ? stat : { ...stat, content: text };
      } catch (error) {
        if (!isRaced) throw error;
      }
      act = "guard";
      await pause(attempt);
    }
    throw lostRace();
  };
  return { act: () => act, command };
}
