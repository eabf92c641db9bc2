import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useSession } from "../data/session.js";

const nameKey = "memory-page-name";

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
  const [name, setName] = useState(localStorage.getItem(nameKey) ?? "");
  if (userId !== null) return { missing: null, fields: {}, field: <p class="muted">You sign as {userId}.</p> };
  const change = (given: string): void => {
    localStorage.setItem(nameKey, given);
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
