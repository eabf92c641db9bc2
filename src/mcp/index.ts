export { createMcpServer } from "./server.js";
export { claudeDialect, journalDialect, unifiedDialect } from "./dialects.js";
export { serveHttp, type McpHttpServer } from "./serve-http.js";
export { serveStdio } from "./serve-stdio.js";
export type { DialectName, McpHttpOptions, McpServeOptions, McpServerOptions, McpStdioOptions } from "./options.js";
export type { Dialect, FlatSchema, ToolAnswer, ToolDefinition } from "../dialects/dialect.js";
