import type { CheckedAddress, MemoryScope } from "../../core/values/address.js";
import type { MemoryDatabase, NodeFacts } from "../../mongodb/admin/memory-database.js";
import { hasAny } from "../collections.js";
import { about, CommandError } from "../errors.js";
import { formatAddress } from "./address.js";

/** Refuses a memory that was never written, because its name may be mistyped. @throws CommandError ENOENT */
export async function assertThere(database: MemoryDatabase, address: CheckedAddress): Promise<void> {
  const missing = await about(formatAddress(address), () => describeMissing(database, address));
  if (missing !== null) throw new CommandError("ENOENT", `${missing.message}; ${missing.advice}`);
}

/** Returns null if the memory exists, even if it is empty. @throws MemoryError EIO */
export async function describeMissing(
  database: MemoryDatabase,
  address: CheckedAddress,
): Promise<{ message: string; advice: string } | null> {
  if (await hasAny(database.facts(address))) return null;
  const nodes: NodeFacts[] = [];
  for await (const node of database.nodes()) nodes.push(node);
  return { message: `there is no memory of ${formatAddress(address)} yet`, advice: adviseOn(address, nodes) };
}

/** Runs a task that may create a memory, and reports that it did, because its name may be mistyped. */
export async function reportNew<T>(
  database: MemoryDatabase,
  address: CheckedAddress,
  note: (sentence: string) => Promise<void>,
  run: () => Promise<T>,
): Promise<T> {
  const wasThere = await hasAny(database.facts(address));
  const result = await run();
  if (!wasThere && (await hasAny(database.facts(address))))
    await note(`created the memory of ${formatAddress(address)}, which did not exist`);
  return result;
}

const maxNamed = 10;

function adviseOn({ nodeId, scope }: CheckedAddress, nodes: readonly NodeFacts[]): string {
  const scopes = nodes.filter((node) => node.nodeId === nodeId).map((node) => node.scope);
  if (scopes.includes(scope)) return `check ${flags[scope]}, as the node has others`;
  if (scopes.length > 0) return scopes.map((other) => otherScopes[other]).join(", or ");
  const known = [...new Set(nodes.map((node) => JSON.stringify(node.nodeId)))].toSorted();
  if (known.length === 0) return "check --node, --db and --memories-collection";
  const more = known.length > maxNamed ? ` and ${known.length - maxNamed} more` : "";
  return `known nodes: ${known.slice(0, maxNamed).join(", ")}${more}`;
}

const flags: Record<MemoryScope, string> = { global: "--node", perThread: "--thread", perUser: "--user" };

const otherScopes: Record<MemoryScope, string> = {
  global: "pass --node alone for the memory that all share",
  perThread: "pass --thread for the memory of a thread",
  perUser: "pass --user for the memory of a user",
};
