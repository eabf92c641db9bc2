import type { MemoryConnectorNode } from "./memory-connector-node.js";
import type { MemoryNode } from "./memory-node.js";
import { hasMethod } from "../core/values/unknown-values.js";

/** The connector itself, or that of a MemoryNode, with the defaults. @throws TypeError for anything else */
export function getConnector(given: MemoryConnectorNode | MemoryNode, where: string): MemoryConnectorNode {
  if (isConnector(given)) return given;
  if (hasMethod(given, "createConnector")) return given.createConnector();
  throw new TypeError(`${where} must be a MemoryConnectorNode or a MemoryNode`);
}

/** By shape, because the other build of this package (ESM or CommonJS) has classes of its own. */
function isConnector(value: MemoryConnectorNode | MemoryNode): value is MemoryConnectorNode {
  return hasMethod(value, "inject");
}
