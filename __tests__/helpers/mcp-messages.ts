/** The message with which a client without an SDK begins a session. */
export const initializeAs = (clientName: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: clientName, version: "1" } },
});

export const initialize = initializeAs("raw");

/** A change by a client without an SDK: it appends "x" to /a. */
export const appendCall = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "memory", arguments: { command: "append", path: "/a", content: "x" } },
};
