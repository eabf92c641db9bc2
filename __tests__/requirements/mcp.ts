import type { Requirements } from "./requirement.js";

export const mcp: Requirements = {
  "mcp.every-dialect": {
    source: "specification section 8",
    says: "the tools of every dialect are served, with titles and hints",
  },
  "mcp.flat-schemas": {
    source: "measured: MCP SDK 2",
    says: "tools are listed with their flat schema, which a union would lose",
  },
  "mcp.answers-of-the-dialect": {
    source: "specification section 8",
    says: "calls are answered in the dialect's own words",
  },
  "mcp.refusals-are-errors": {
    source: "measured: MCP SDK 2",
    says: "a refusal is marked as an error, and nothing else is",
  },
  "mcp.bad-calls": {
    source: "specification section 10",
    says: "arguments that are no object, and unknown tools, are answered in a sentence",
  },
  "mcp.storage-failures": {
    source: "specification section 3",
    says: "a failing storage is told without its words, by tools and resources",
  },
  "mcp.clients-choose-no-memory": {
    source: "specification section 4",
    says: "nothing a client sends chooses another thread or memory",
  },
  "mcp.thread-is-required": {
    source: "specification section 1",
    says: "a perThread memory without a thread is told",
  },
  "mcp.one-name-each": {
    source: "measured: MCP SDK 2",
    says: "two dialects with a tool of one name are refused",
  },
  "mcp.resources": {
    source: "measured: MCP SDK 2",
    says: "the files of the memory are resources, with sizes and types",
  },
  "mcp.versions": {
    source: "specification section 13",
    says: "the versions of a file and their texts are resources, which change nothing and name no user",
  },
  "mcp.resource-uris": {
    source: "specification section 2",
    says: "a URI names one path and no other, and traversal is refused",
  },
  "mcp.resource-pages": {
    source: "measured: MCP SDK 2",
    says: "pages of resources neither repeat nor skip what stays",
  },
  "mcp.subscriptions": {
    source: "measured: MCP SDK 2",
    says: "a subscriber is told of changes, of other processes too",
  },
  "mcp.no-watch-without-watchers": {
    source: "measured: MCP SDK 2",
    says: "nothing is read where nobody is subscribed",
  },
  "mcp.stdio": {
    source: "specification section 8",
    says: "clients of both protocol revisions work over stdio",
  },
  "mcp.stdio-only-protocol": {
    source: "measured: MCP SDK 2",
    says: "nothing but the protocol is written to stdout",
  },
  "mcp.stdio-malformed": {
    source: "measured: MCP SDK 2",
    says: "what is no message is skipped, and a message that is too long or not UTF-8 ends the connection",
  },
  "mcp.cancelled-calls-end": {
    source: "specification section 8",
    says: "a call that its client cancels ends, as by an abort",
  },
  "mcp.stdio-ends": {
    source: "measured: MCP SDK 2",
    says: "the server ends with its store closed at the end of input, at signals, and when its client is killed",
  },
  "mcp.http": {
    source: "specification section 8",
    says: "clients of both protocol revisions work over HTTP",
  },
  "mcp.http-loopback": {
    source: "measured: MCP SDK 2",
    says: "HTTP listens on 127.0.0.1 by default and elsewhere with a token only",
  },
  "mcp.http-token": {
    source: "measured: MCP SDK 2",
    says: "a request without the token is refused",
  },
  "mcp.http-rebinding": {
    source: "measured: MCP SDK 2",
    says: "foreign hosts and origins are refused",
  },
  "mcp.http-pages": {
    source: "measured: MCP SDK 2",
    says: "web pages of the origins that are named can call from a browser, and no others",
  },
  "mcp.http-limits": {
    source: "measured: MCP SDK 2",
    says: "bodies, batches and listening streams have limits",
  },
  "mcp.http-message-size": {
    source: "specification section 4",
    says: "a message of too many values or levels is refused before it is parsed, and one of the largest file passes",
  },
  "mcp.short-errors": {
    source: "specification section 4",
    says: "the error for a request has a bounded length, however many faults the request has",
  },
  "mcp.http-unknown-method": {
    source: "measured: MCP SDK 2",
    says: "a method that the server does not have is answered with 404",
  },
  "mcp.subscription-limits": {
    source: "specification section 4",
    says: "subscriptions to files have limits: their number, the length of a URI, and the size of a request to listen",
  },
  "mcp.close-is-bounded": {
    source: "specification section 4",
    says: "a server ends in time at a signal, whatever its streams and storage do",
  },
  "mcp.parallel-appends": {
    source: "specification section 4",
    says: "parallel appends of two clients are all kept",
  },
  "mcp.options-checked": {
    source: "specification section 9",
    says: "bad options are a TypeError",
  },
  "mcp.optional-sdk": {
    source: "specification section 8",
    says: "the packages of the SDK are optional; without them the command serves, and the entry says what to install",
  },
  "mcp.own-server": {
    source: "specification section 8",
    says: "a memory can be added to an MCP server that has tools of its own",
  },
  "mcp.own-dialect": {
    source: "specification section 10",
    says: "a dialect made elsewhere is served as those of the package",
  },
};
