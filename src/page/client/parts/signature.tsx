import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useMemory } from "../data/memory.js";
import { useSession } from "../data/session.js";
import type { Address } from "../data/types.js";
import { Dialog, type DialogProps } from "./dialog.js";

const nameKey = "memory-page-name";

/** Reads the name from a cookie. Reason: the command line serves the page at another port each time. */
function readName(): string {
  const [, value = ""] = new RegExp(`(?:^|; )${nameKey}=([^;]*)`).exec(document.cookie) ?? [];
  try {
    return decodeURIComponent(value);
  } catch {
    return "";
  }
}

const yearS = 31_536_000;

function keepName(name: string): void {
  document.cookie = `${nameKey}=${encodeURIComponent(name)}; path=/; max-age=${yearS}; samesite=strict`;
}

interface Signature {
  /** Says that the name is missing, or null. */
  missing: string | null;
  /** Fields for the body of a request. */
  fields: { by?: string };
  /** The input for the name that signs a decision. */
  field: VNode;
}

/** Returns the visitor's signature for decisions. If the server does not know the visitor, the visitor types a name. */
export function useSignature(): Signature {
  const { userId } = useSession();
  const [name, setName] = useState(readName);
  if (userId !== null) return { missing: null, fields: {}, field: <p class="muted">You sign as {userId}.</p> };
  const change = (given: string): void => {
    keepName(given);
    setName(given);
  };
  const field = (
    <label class="field">
      Your name
      <input
        type="text"
        required
        data-missing={name === "" ? "" : undefined}
        maxLength={512}
        value={name}
        autoComplete="name"
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
  return { missing: name === "" ? "Type your name first" : null, fields: { by: name }, field };
}

interface SignedDialogProps extends Omit<DialogProps, "run"> {
  /** @param signed the memory, and the name if the visitor types one */
  run: (signed: { address: Address; by?: string }) => Promise<unknown>;
}

/** A dialog for a change of the shown memory, which the visitor signs. */
export function SignedDialog({ missing = null, run, children, ...dialog }: SignedDialogProps): VNode {
  const { address } = useMemory();
  const { missing: missingName, fields, field } = useSignature();
  return (
    <Dialog {...dialog} missing={missing ?? missingName} run={() => run({ address, ...fields })}>
      {children}
      {field}
    </Dialog>
  );
}
