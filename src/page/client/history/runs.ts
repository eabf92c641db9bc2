import type { Actor, Version } from "../data/types.js";
import { getOwnNode } from "../parts/format.js";

/** Changes that belong together for people: those of one run, or those in a row by the same author. */
export interface RunOfChanges {
  /** Null for changes outside of a run. */
  runId: string | null;
  /** The author of the newest change. */
  actor: Actor | null;
  /** Newest first. */
  versions: Version[];
}

/** Groups versions by run. A run is at the place of its newest change, also if others changed the memory meanwhile. */
export function groupByRun(versions: readonly Version[]): RunOfChanges[] {
  const groups: RunOfChanges[] = [];
  const runs = new Map<string, RunOfChanges>();
  for (const version of versions) {
    const { actor } = version;
    const runId = actor?.runId ?? null;
    const last = groups.at(-1);
    const isSameAuthor = last?.runId === null && runId === null && describeAuthor(last.actor) === describeAuthor(actor);
    const group = runId === null ? (isSameAuthor ? last : undefined) : runs.get(runId);
    if (group !== undefined) {
      group.versions.push(version);
      continue;
    }
    const created = { runId, actor, versions: [version] };
    groups.push(created);
    if (runId !== null) runs.set(runId, created);
  }
  return groups;
}

/**
 * Names who made changes as people think of it: the user, the agent and the thread. @param withThread a person who
 * sees only their own memories does not think of threads
 */
export function describeAuthor(actor: Actor | null, withThread = true): string {
  const { userId, agent, threadId, client } = actor ?? {};
  const names = [
    userId,
    agent ?? getOwnNode(actor ?? {}) ?? client,
    withThread && threadId !== undefined ? `thread ${threadId}` : undefined,
  ];
  return names.filter((name) => name !== undefined).join(" · ") || "a program without a name";
}
