export { MemoryError, type MemoryErrorCode } from "./core/errors.js";
export type { CheckedAddress, MemoryAddress, MemoryScope } from "./core/address.js";
export type {
  DeletedCounts,
  DeleteOptions,
  DirectoryStat,
  FileStat,
  Memory,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineFile,
  SnapshotFile,
  WriteOptions,
} from "./core/memory.js";
export type { MemoryOptions } from "./core/options.js";
export type { PathRule } from "./core/paths.js";
export { MongoMemoryStore } from "./stores/mongo-memory-store.js";
export {
  migrateFromMongoDBStore,
  type MigrationProgress,
  type MigrationSummary,
  type MongoDBStoreMigrationOptions,
  type RefusedItem,
} from "./stores/migrate-from-mongodb-store.js";
export type { TtlOptions } from "./stores/expiry.js";
export type { TextSearchOptions } from "./stores/keyword-ranking.js";
export { openMemory } from "./stores/open-memory.js";
export type { MongoMemoryStoreOptions } from "./stores/store-options.js";
export type { VectorSearchOptions } from "./stores/vector-search.js";
export type { MemoryProvider, MemoryRun, MemorySource, StoreRun } from "./tools/memory-source.js";
export { MemoryTool, type MemoryToolOptions } from "./tools/memory-tool.js";
export type { MemoryCommand, MemoryEnvelope } from "./tools/unified.js";
export type { FlatSchema } from "./tools/dialect.js";
export type { MemoryConnectorConfig, MemoryContent, MemoryPlacement } from "./prompt/connector-options.js";
export { MemoryNode, type MemoryNodeOptions } from "./graph/memory-node.js";
export { type ConnectableMemory, MemoryConnectorNode, type MemoryConnectorNodeOptions } from "./graph/memory-connector-node.js";
export { CallModelNode, type CallModelNodeOptions, type MessagesState } from "./graph/call-model-node.js";
export { Agent, type AgentOptions } from "./graph/agent.js";
export { createMemoryPrompt, type MemoryPromptOptions } from "./graph/memory-prompt.js";
export { type BuiltGraph, buildGraph } from "./graph/template/build-graph.js";
export type {
  AgentTemplate,
  GraphDefinition,
  GraphEdge,
  GraphNode,
  MemoryConnectorTemplate,
  MemoryTemplate,
  MemoryToolTemplate,
} from "./graph/template/definition.js";
export { graphDefinitionSchema } from "./graph/template/json-schema.js";
export type { GraphContext } from "./graph/template/parts.js";
