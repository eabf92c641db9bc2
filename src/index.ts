export { MemoryError, type MemoryErrorCode } from "./core/values/errors.js";
export type { CheckedAddress, MemoryAddress, MemoryScope } from "./core/values/address.js";
export type {
  DeletedCounts,
  DeleteOptions,
  DirectoryStat,
  FileStat,
  Memory,
  MemoryChange,
  MemoryChanges,
  MemoryEntry,
  MemoryOutline,
  MemoryRights,
  MemorySnapshot,
  MemoryStat,
  OutlineFile,
  OutlineOptions,
  SnapshotFile,
  WatchOptions,
  WriteOptions,
} from "./core/memory.js";
export type { GuardedChange, MemoryAccess, MemoryGuard, MemoryRule } from "./core/access/policy.js";
export type { MemoryActor } from "./core/values/actor.js";
export type {
  BlamedLine,
  MemoryHistory,
  MemoryVersion,
  RevertTarget,
  VersionFilter,
  VersionOperation,
} from "./core/history/history.js";
export type { OnAsk } from "./core/access/approval-requester.js";
export type { ChangeCommand, ChangeStatus } from "./core/contract/change-record.js";
export type { MemoryProposal, MemoryProposals, Reviewer } from "./core/approval/memory-proposals.js";
export { mountMemories } from "./core/mounts/mounted-memory.js";
export type { MountSettings } from "./core/mounts/mounts.js";
export type { MemoryOptions, MemoryUse } from "./core/memory-options.js";
export type { GrepMatch, GrepOptions, GrepPattern, SearchHit, SearchOptions } from "./core/search/search-options.js";
export type { SearchWords } from "./core/search/words.js";
export type { PathRule } from "./core/values/paths.js";
export { MongoMemoryStore } from "./mongodb/store/mongo-memory-store.js";
export {
  migrateFromMongoDBStore,
  type MigrationProgress,
  type MigrationSummary,
  type MongoDBStoreMigrationOptions,
  type RefusedItem,
} from "./mongodb/migrate/migrate-from-mongodb-store.js";
export type { ExpireMsOptions } from "./mongodb/memories/memory-expiry.js";
export type {
  ForgottenCounts,
  MemoryFilter,
  MemoryOwner,
  MemorySummary,
} from "./mongodb/memories/addresses/memory-filter.js";
export type { TtlOptions } from "./mongodb/items/expiry.js";
export type { TextSearchOptions } from "./mongodb/search/keyword-ranking.js";
export { openMemory } from "./open-memory.js";
export type { HistoryOptions, MongoMemoryStoreOptions } from "./mongodb/store/store-options.js";
export type { VectorSearchOptions } from "./mongodb/search/vector-search.js";
export type { MemoryRun } from "./langchain/memory-run.js";
export type { MemoryProvider, MemorySource } from "./langchain/memory-source.js";
export { MemoryTool, type MemoryToolOptions } from "./langchain/memory-tool.js";
export type { MemoryCommand, MemoryToolArguments } from "./dialects/unified/options.js";
export type { MemoryEnvelope } from "./dialects/unified/unified-dialect.js";
export type { FlatSchema } from "./dialects/dialect.js";
export type { MemoryConnectorConfig, MemoryContent, MemoryPlacement } from "./prompt/connector-options.js";
export { MemoryNode, type MemoryNodeOptions } from "./graph/memory-node.js";
export type { MountOptions, NodeMount } from "./graph/node-mounts.js";
export type { OwnerOfRun } from "./graph/owner-of-run.js";
export {
  type ConnectableMemory,
  MemoryConnectorNode,
  type MemoryConnectorNodeOptions,
  type RenderedRun,
} from "./graph/memory-connector-node.js";
export { CallModelNode, type CallModelNodeOptions, type MessagesState } from "./graph/call-model-node.js";
export { Agent, type AgentOptions } from "./graph/agent.js";
export { createMemoryPrompt, type MemoryPromptOptions } from "./graph/memory-prompt.js";
export { type BuiltGraph, buildGraph } from "./template/build-graph.js";
export type {
  AgentTemplate,
  GraphDefinition,
  GraphEdge,
  GraphNode,
  MemoryConnectorTemplate,
  MemoryTemplate,
  MemoryToolTemplate,
  MountTemplate,
} from "./template/definition.js";
export { graphDefinitionSchema } from "./template/json-schema.js";
export type { GraphContext } from "./template/parts.js";
