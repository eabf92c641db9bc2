import { readForEdit } from "../contract/change-once.js";
import type { MemoryBackend } from "../contract/backend.js";
import type { Call } from "../runtime/call.js";
import { lostRace, maxAttempts, pause } from "../runtime/lost-race.js";
import { checkContent } from "../values/text.js";
import type { Change, ChangeResult } from "../tree/change.js";
import type { CheckedAddress } from "../values/address.js";
import type { Policies } from "./policies.js";
import type { GuardedChange } from "./policy.js";

/** The parts of a memory that its guards need. */
export interface Guards {
  readonly address: CheckedAddress;
  readonly policies: Policies | null;
  readonly options: { readonly maxFileBytes: number };
}

/** Returns the text that the guards allow. @throws the errors of guards, EFBIG, and the reason of an aborted call */
export async function guardText(
  { address, policies, options }: Guards,
  { command, path, content }: Pick<GuardedChange, "command" | "path" | "content">,
  call: Call,
): Promise<string> {
  if (policies?.hasGuard !== true) return content;
  const { stage } = call;
  call.stage = "guard";
  const text = await policies.guard({ command, path, content, address, actor: call.actor });
  checkContent(text, "the text of the guard", options.maxFileBytes);
  call.throwIfAborted();
  call.stage = stage;
  return text;
}

/** Returns the change with the text that the guards allow. `guardEdit` guards edits. */
export async function guardChange(guards: Guards, change: Change, call: Call): Promise<Change> {
  switch (change.type) {
    case "append":
    case "write":
    case "update": {
      const { type: command, path, content } = change;
      return { ...change, content: await guardText(guards, { command, path, content }, call) };
    }
    case "edit":
    case "delete":
    case "rename":
      return change;
  }
}

/**
 * Reads a file, edits the text, runs the guards, and stores the text. Guards may take long, so the new text is stored
 * only if the file still has the old one. If the guards changed the text, the result contains it.
 */
export async function guardEdit(
  guards: Guards,
  { path, edit }: Extract<Change, { type: "edit" }>,
  { backend, store }: { backend: MemoryBackend; store: (change: Change) => Promise<ChangeResult> },
  call: Call,
): Promise<ChangeResult & { content?: string }> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const before = await readForEdit(backend, path, call);
    if (typeof before !== "string") return before;
    const content = edit(before);
    const text = await guardText(guards, { command: "edit", path, content }, call);
    let raced = false;
    const swap = (present: string): string => {
      raced = present !== before;
      if (raced) throw lostRace();
      return text;
    };
    try {
      const result = await store({ type: "edit", path, edit: swap });
      return text === content ? result : { ...result, content: text };
    } catch (error) {
      if (!raced) throw error;
    }
    await pause(attempt);
  }
  throw lostRace();
}
