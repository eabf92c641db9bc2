import { wrongArgument } from "../core/settings/wrong-argument.js";
import type { MemoryConnectorNode } from "./memory-connector-node.js";
import type { MemoryNode } from "./memory-node.js";
import { hasMethod } from "../core/values/unknown-values.js";

/**
 * Returns a connector unchanged, or creates a connector with the defaults for a MemoryNode. @throws TypeError for
 * anything else
 */
export function getConnector(given: MemoryConnectorNode | MemoryNode, where: string): MemoryConnectorNode {
  if (isConnector(given)) return given;
  if (hasMethod(given, "createConnector")) return given.createConnector();
  throw wrongArgument(where, "a MemoryConnectorNode or a MemoryNode", given);
}

/** Checked by shape, because the other build of this package (ESM or CommonJS) has its own classes. */
function isConnector(value: MemoryConnectorNode | MemoryNode): value is MemoryConnectorNode {
  return hasMethod(value, "inject");
}
