export { MemoryError, type MemoryErrorCode } from "./core/values/errors.js";
export type { MemoryAddress, MemoryScope } from "./core/values/address.js";
export type {
  FileStat,
  Memory,
  MemoryChange,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
} from "./core/memory.js";
export type { MemoryAccess, MemoryGuard, MemoryRule } from "./core/access/policy.js";
export type { MemoryActor } from "./core/values/actor.js";
export type { MemoryHistory, MemoryVersion } from "./core/history/history.js";
export type { MemoryProposal, MemoryProposals } from "./core/approval/memory-proposals.js";
export { mountMemories } from "./core/mounts/mounted-memory.js";
export type { MemoryOptions } from "./core/memory-options.js";
export type { GrepMatch, SearchHit } from "./core/search/search-options.js";
export type { PathRule } from "./core/values/paths.js";
export { MongoMemoryStore } from "./mongodb/store/mongo-memory-store.js";
export type { ForgottenCounts, MemorySummary } from "./mongodb/memories/addresses/memory-filter.js";
export { tidy } from "./tidy/tidy.js";
export type { TidyFinding } from "./tidy/finding.js";
export { mergeMemories, type MergeReport } from "./move-out/merge-memories.js";
export { openMemory } from "./open-memory.js";
export type { MongoMemoryStoreOptions } from "./mongodb/store/store-options.js";
export { logConversation } from "./conversation/log-conversation.js";
export type { ConversationLogOptions } from "./conversation/options.js";
export type { MemoryRun, TimeZone } from "./langchain/memory-run.js";
export type { MemorySource } from "./langchain/memory-source.js";
export { MemoryTool, type MemoryToolOptions } from "./langchain/memory-tool.js";
export type { MemoryCommand } from "./dialects/unified/options.js";
export type { MemoryConnectorConfig } from "./prompt/connector-options.js";
export { MemoryNode, type MemoryNodeOptions } from "./graph/memory-node.js";
export type { MountOptions } from "./graph/node-mounts.js";
export { MemoryConnectorNode } from "./graph/memory-connector-node.js";
export { CallModelNode, type CallModelNodeOptions } from "./graph/call-model-node.js";
export { createConversationLog } from "./graph/log-run.js";
export { Agent, type AgentOptions } from "./graph/agent.js";
export { createMemoryPrompt } from "./graph/memory-prompt.js";
export { type BuiltGraph, buildGraph } from "./template/build-graph.js";
export type { GraphDefinition } from "./template/definition.js";
export { graphDefinitionSchema } from "./template/definition-schema.js";
export type { GraphContext } from "./template/parts.js";
