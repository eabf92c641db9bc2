import { describe, expect, it } from "@jest/globals";
import type { CheckedAddress } from "../../../src/core/values/address.js";
import { addressFor, memoryScopes, getOwner } from "../../../src/core/values/address.js";
import { parseMemoryNamespace, getMemoryNamespace } from "../../../src/core/values/namespace.js";
import { getHeadId, parseHeadId } from "../../../src/mongodb/memories/documents/page-ids.js";
import { parseStoredNamespace, storedNamespace } from "../../../src/mongodb/operations/namespaces.js";
import { hostileNames } from "../../helpers/hostile-names.js";
import { repetitions } from "../../helpers/repetitions.js";

const legal = hostileNames.filter((name) => name.isWellFormed() && !/\p{Cc}/u.test(name));
/** Each name beside each, and the same names where a careless join would move them. */
const ids = [...new Set(legal.flatMap((name) => [name, `${name}/a`, `a.${name}`, `${name}:perUser`]))];

const triples = repetitions({ usual: 8_000, long: 100_000 });

/**
 * Triples of a node, a thread and a user, who is called as the thread is: each is three memories, the node's own among
 * them once.
 */
function* addresses(): Generator<CheckedAddress> {
  for (let index = 0; index < triples; index += 1) {
    const nodeId = ids[index % ids.length] ?? "";
    const owner = ids[Math.floor(index / ids.length)] ?? "";
    for (const scope of index < ids.length ? memoryScopes : (["perThread", "perUser"] as const))
      yield addressFor(nodeId, scope, owner);
  }
}

const isSame = (a: CheckedAddress | null, b: CheckedAddress): boolean =>
  a !== null && a.nodeId === b.nodeId && a.scope === b.scope && getOwner(a) === getOwner(b);

describe("addresses of hostile ids, equal ones in all scopes", () => {
  it("come back from their namespaces and from the ids of their documents, so that no two triples have the same", () => {
    const strangers: CheckedAddress[] = [];
    let count = 0;
    for (const address of addresses()) {
      count += 1;
      if (!isSame(parseMemoryNamespace(parseStoredNamespace(storedNamespace(getMemoryNamespace(address)))), address))
        strangers.push(address);
      if (!isSame(parseHeadId(getHeadId(address)), address)) strangers.push(address);
    }
    expect(count).toBe(2 * triples + ids.length);
    expect(ids.length ** 2).toBeGreaterThan(triples);
    expect(new Set(ids).size).toBe(ids.length);
    expect(strangers).toEqual([]);
  });

  it("have no label that LangGraph refuses, and a scope where no id can be", () => {
    for (const name of ids) {
      for (const scope of memoryScopes) {
        const namespace = getMemoryNamespace(addressFor(name, scope, name));
        expect([namespace[0], namespace[2], namespace.length]).toEqual(["memory", scope, scope === "global" ? 3 : 4]);
        expect(namespace.some((label) => label === "" || /[.:]/.test(label))).toBe(false);
      }
    }
  });
});
