/** The form in which a connector shows a memory. */
export interface ConnectorForm {
  /** Undefined for the default. */
  content: "tree" | "index" | "full" | "auto" | undefined;
  maxChars: number;
  pinned: string[];
  tokens: { max: number; count: (text: string) => number } | null;
  /** Undefined if it follows the tools of the model. */
  root: string | undefined;
}

/**
 * The key under which a MemoryNode keeps the form of the first connector that was created for it. Reason for a symbol:
 * the other build of this package has its own classes.
 */
export const connectorForm: unique symbol = Symbol.for("langgraph-mongo-memory.connectorForm");

/** A memory that remembers its connector. */
export interface WithConnectorForm {
  /** @internal */
  [connectorForm]?: ConnectorForm | null;
}

/** Returns the form of the first connector of a memory, as far as the memory knows it. */
export function getConnectorForm(memory: WithConnectorForm): ConnectorForm | null {
  return memory[connectorForm] ?? null;
}

/** Keeps the form of the first connector. Does nothing if the memory has a form already, or null. */
export function keepConnectorForm(memory: WithConnectorForm, form: ConnectorForm): void {
  if (memory[connectorForm] === null) memory[connectorForm] = form;
}
