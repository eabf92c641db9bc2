type Section = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18;

type Measured =
  | "LangGraph 1.7"
  | "MongoDB"
  | "MongoDBStore 1.4"
  | "provider clients"
  | "@anthropic-ai/sdk 1.12"
  | "AI SDK 6 and 7"
  | "@langchain/anthropic 1.5"
  | "agentool 0.2"
  | "deepagents 1.14"
  | "Dominds"
  | "MCP SDK 2";

/** Where a requirement comes from: a document, what was measured of a library, or what users of others reported. */
export type RequirementSource =
  | `specification section ${Section}`
  | "public names"
  | "server memory page"
  | "ADR memory v2"
  | "agentool"
  | "Dominds records"
  | "FastMCP4J"
  | "Anthropic's memory tool documentation"
  | "InMemoryStore 1.2"
  | "reported: other memories"
  | `measured: ${Measured}`;

export interface Requirement {
  source: RequirementSource;
  /** One sentence. */
  says: string;
}

/** By id, which never changes: `paths.limits`. */
export type Requirements = Readonly<Record<string, Requirement>>;
