import type { MemoryConnectorNode } from "./memory-connector-node.js";
import type { MemoryNode } from "./memory-node.js";

/** The connector itself, or that of a MemoryNode, with the defaults. @throws TypeError for anything else */
export function getConnector(given: MemoryConnectorNode | MemoryNode, where: string): MemoryConnectorNode {
  // Compares the shape. Reason: the other build of this package (ESM or CommonJS) has its own classes.
  const parts = given as Partial<MemoryConnectorNode & MemoryNode> | null;
  if (typeof parts?.inject === "function") return given as MemoryConnectorNode;
  if (typeof parts?.createConnector === "function") return (given as MemoryNode).createConnector();
  throw new TypeError(`${where} must be a MemoryConnectorNode or a MemoryNode`);
}
