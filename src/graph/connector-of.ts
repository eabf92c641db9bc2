import type { MemoryConnectorNode } from "./memory-connector-node.js";
import type { MemoryNode } from "./memory-node.js";

/** A MemoryNode where a connector is needed stands for its connector with the defaults. @throws TypeError for anything else */
export function connectorOf(given: MemoryConnectorNode | MemoryNode, where: string): MemoryConnectorNode {
  // By shape: those of the other build of this package are of another class.
  const parts = given as Partial<MemoryConnectorNode & MemoryNode> | null;
  if (typeof parts?.inject === "function") return given as MemoryConnectorNode;
  if (typeof parts?.createConnector === "function") return (given as MemoryNode).createConnector();
  throw new TypeError(`${where} must be a MemoryConnectorNode or a MemoryNode`);
}
