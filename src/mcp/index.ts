export { addMemoryTo } from "./add-memory-to.js";
export { createMcpServer } from "./server.js";
export { serveHttp } from "./http/serve-http.js";
export { serveStdio } from "./serve-stdio.js";
export type { McpHttpOptions, McpServerOptions } from "./options.js";
export type { Dialect, ToolAnswer, ToolDefinition } from "../dialects/dialect.js";
