export { addMemoryTo } from "./add-memory-to.js";
export { createMcpServer } from "./server.js";
export { claudeDialect } from "../dialects/claude/claude-dialect.js";
export type { ClaudeDialectOptions } from "../dialects/claude/options.js";
export { journalDialect } from "../dialects/journal/journal-dialect.js";
export { recordsDialect } from "../dialects/records/records-dialect.js";
export { unifiedDialect } from "../dialects/unified/unified-dialect.js";
export { serveHttp, type McpHttpServer } from "./http/serve-http.js";
export { serveStdio } from "./stdio/serve-stdio.js";
export type {
  AddMemoryOptions,
  McpHttpOptions,
  McpMemoryOptions,
  McpServeOptions,
  McpServerOptions,
  McpStdioOptions,
} from "./options.js";
export type { Dialect, ToolAnswer, ToolDefinition } from "../dialects/dialect.js";
