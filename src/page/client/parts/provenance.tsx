import type { ComponentChildren, VNode } from "preact";
import type { Actor, Origin } from "../data/types.js";
import { useMemory } from "../data/memory.js";
import { useIsOwner } from "../data/session.js";
import { countText } from "../../../core/display/count-text.js";
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

const maxSources = 20;

/** Shows who made a change, and what it rests on. A run links to all its changes, and a source to its version. */
export function Provenance({ actor, origin = {} }: { actor: Actor | null; origin?: Partial<Origin> }): VNode {
  const { href } = useMemory();
  const facts = (useIsOwner() ? ownerFields : fields).flatMap(([field, term]) => {
    const value = actor?.[field];
    if (value === undefined) return [];
    const name = <Name text={value} />;
    return (
      <Fact key={field} term={term}>
        {field === "runId" ? <a href={href({ tab: "history", run: value })}>{name}</a> : name}
      </Fact>
    );
  });
  return (
    <dl class="facts">
      {facts.length > 0 ? facts : <Fact term="By">unknown</Fact>}
      {origin.reason && (
        <Fact term="Why">
          <Name text={origin.reason} />
        </Fact>
      )}
      {origin.sources && <Sources sources={origin.sources} />}
      {origin.trust && <Fact term="Trust">{origin.trust}</Fact>}
      {origin.model && (
        <Fact term="Model">
          <Name text={origin.model} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ term, children }: { term: string; children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Sources({ sources }: { sources: readonly string[] }): VNode {
  const { href } = useMemory();
  return (
    <Fact term="Rests on">
      {sources.slice(0, maxSources).map((source) => {
        const [kind = "", id = ""] = source.split(/:(.*)/s);
        const name = <Name text={`${kind} ${id}`} />;
        return (
          <div key={source}>
            {kind === "version" ? <a href={href({ tab: "history", version: id })}>{name}</a> : name}
          </div>
        );
      })}
      {sources.length > maxSources && <div>and {countText(sources.length - maxSources, "more source")}</div>}
    </Fact>
  );
}
