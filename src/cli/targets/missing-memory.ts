import type { CheckedAddress, MemoryScope } from "../../core/values/address.js";
import { nearestName } from "../../core/settings/nearest-name.js";
import type { MemoryDatabase, NodeFacts } from "../../mongodb/admin/memory-database.js";
import { about, CommandFault } from "../fault.js";
import { nameOf } from "./memory-name.js";

/** Tells a memory that was never written from an empty one, as its name may be mistyped. @throws CommandFault ENOENT */
export async function assertThere(database: MemoryDatabase, address: CheckedAddress): Promise<void> {
  const missing = await about(nameOf(address), () => missingMemory(database, address));
  if (missing !== null) throw new CommandFault("ENOENT", `${missing.message}; ${missing.advice}`);
}

/** Null for a memory that is there, even an empty one. @throws MemoryError EIO */
export async function missingMemory(
  database: MemoryDatabase,
  address: CheckedAddress,
): Promise<{ message: string; advice: string } | null> {
  if (await isThere(database, address)) return null;
  const nodes: NodeFacts[] = [];
  for await (const node of database.nodes()) nodes.push(node);
  return { message: `there is no memory of ${nameOf(address)} yet`, advice: adviceFor(address, nodes) };
}

async function isThere(database: MemoryDatabase, address: CheckedAddress): Promise<boolean> {
  for await (const _ of database.facts(address)) return true;
  return false;
}

/**
 * Runs what may make memories, and tells of each that it has made: its name may be mistyped.
 * @param note is told a sentence. @throws what `run` throws, MemoryError EIO
 */
export async function tellingOfNew<T>(
  database: MemoryDatabase,
  addresses: readonly CheckedAddress[],
  note: (text: string) => Promise<void>,
  run: () => Promise<T>,
): Promise<T> {
  const missing: { address: CheckedAddress; meant: string | undefined }[] = [];
  for (const address of addresses) {
    if (!(await isThere(database, address))) missing.push({ address, meant: await nodeMeantBy(address, database) });
  }
  const result = await run();
  for (const { address, meant } of missing) {
    const nearest = meant === undefined ? "" : `; the node nearest in name is ${JSON.stringify(meant)}`;
    if (await isThere(database, address))
      await note(`created the memory of ${nameOf(address)}, which did not exist${nearest}`);
  }
  return result;
}

/** Undefined also for a node that has other memories: its name is right. */
async function nodeMeantBy({ nodeId }: CheckedAddress, database: MemoryDatabase): Promise<string | undefined> {
  const names = new Set<string>();
  for await (const node of database.nodes()) names.add(node.nodeId);
  return names.has(nodeId) ? undefined : nearestName(nodeId, names);
}

function adviceFor({ nodeId, scope }: CheckedAddress, nodes: readonly NodeFacts[]): string {
  const scopes = nodes.filter((node) => node.nodeId === nodeId).map((node) => node.scope);
  if (scopes.includes(scope)) return `check ${flags[scope]}, as the node has others`;
  if (scopes.length > 0) return scopes.map((there) => elsewhere[there]).join(", or ");
  const meant = nearestName(
    nodeId,
    nodes.map((node) => node.nodeId),
  );
  return meant === undefined ? "check --node, --db and --collection" : `did you mean --node ${JSON.stringify(meant)}?`;
}

const flags: Record<MemoryScope, string> = { global: "--node", perThread: "--thread", perUser: "--user" };

const elsewhere: Record<MemoryScope, string> = {
  global: "pass --node alone for the memory that all share",
  perThread: "pass --thread for the memory of a thread",
  perUser: "pass --user for the memory of a user",
};
