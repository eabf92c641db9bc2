import type { Memory } from "../core/memory.js";
import type { MemoryActor } from "../core/values/actor.js";
import { hashSha256 } from "../core/values/sha256.js";
import { readSteps } from "./merge-file.js";
import type { ConceptFacts, ConceptFile } from "./okf-concept.js";

interface Approval {
  by: string;
  at: Date;
  /** The hash of the whole text or the added text that was approved. */
  sha256: string;
  /** The sources of the proposal. */
  sources: readonly string[];
}

/** Returns the facts about a file that are in the history and the approvals. */
export async function readFacts(
  memory: Memory,
  paths: readonly string[],
): Promise<(file: ConceptFile) => ConceptFacts> {
  const steps = await readSteps(memory, paths);
  const approvals = await readApprovals(memory);
  return ({ path, content, createdAt }) => {
    const sha256 = hashSha256(content);
    const step = steps.get(path)?.at(-1);
    // An earlier file may have had the path. The approval that creates a file comes before it.
    const own = (approvals.get(path) ?? []).filter((each) => each.at >= createdAt || each.sha256 === sha256);
    const last = new Map(own.map(({ by, at }) => [by, at]));
    return {
      author: step?.sha256 === sha256 ? formatActor(step.actor) : null,
      verified: Array.from(last, ([by, at]) => ({ by, at })),
      sources: [...new Set(own.flatMap(({ sources }) => sources))],
    };
  };
}

async function readApprovals({ proposals }: Memory): Promise<Map<string, Approval[]>> {
  const byPath = new Map<string, Approval[]>();
  for await (const proposal of proposals?.list({ status: "approved" }) ?? []) {
    const { path, content, decidedBy, decidedAt, origin } = proposal;
    if (content === null || decidedBy?.userId === undefined || decidedAt === null) continue;
    const approved = byPath.get(path) ?? [];
    byPath.set(path, approved);
    const { sources = [] } = origin ?? {};
    approved.push({ by: `human:${decidedBy.userId}`, at: decidedAt, sha256: hashSha256(content), sources });
  }
  return byPath;
}

/**
 * Returns an actor as the format names it: `human:` for a person, an agent with its version, which nobody knows, or a
 * process. Null if nobody is named.
 */
export function formatActor(actor: MemoryActor | null): string | null {
  const { userId, agent, node, client, runId, toolCallId } = actor ?? {};
  const isOfRun = [agent, node, runId, toolCallId].some((id) => id !== undefined);
  if (isOfRun) return `${agent ?? node ?? client ?? "agent"}/unknown`;
  if (userId !== undefined) return `human:${userId}`;
  return client === undefined ? null : `process:${client}`;
}
