import type { VNode } from "preact";
import type { Actor } from "../data/types.js";
import { useMemory } from "../data/memory.js";
import { useIsOwner } from "../data/session.js";
import { Name } from "./shown.js";

const fields = [
  ["userId", "User"],
  ["agent", "Agent"],
  ["node", "Node"],
  ["threadId", "Thread"],
  ["runId", "Run"],
  ["toolCallId", "Tool call"],
  ["checkpointId", "Checkpoint"],
  ["client", "Client"],
] as const satisfies [keyof Actor, string][];

const ownerFields = [
  ["userId", "Person"],
  ["agent", "Assistant"],
  ["client", "Through"],
] as const satisfies [keyof Actor, string][];

/** Shows the origin of a change. A run links to all its changes. */
export function Provenance({ actor }: { actor: Actor | null }): VNode {
  const { href } = useMemory();
  const facts = (useIsOwner() ? ownerFields : fields).flatMap(([field, term]) => {
    const value = actor?.[field];
    if (value === undefined) return [];
    const name = <Name text={value} />;
    return (
      <div key={field}>
        <dt>{term}</dt>
        <dd>{field === "runId" ? <a href={href({ tab: "history", run: value })}>{name}</a> : name}</dd>
      </div>
    );
  });
  return (
    <dl class="facts">
      {facts.length > 0 ? (
        facts
      ) : (
        <div>
          <dt>By</dt>
          <dd>unknown</dd>
        </div>
      )}
    </dl>
  );
}
