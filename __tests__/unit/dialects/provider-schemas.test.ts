import { describe, expect, it } from "@jest/globals";
import { ChatAnthropic } from "@langchain/anthropic";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { ChatGoogle } from "@langchain/google";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatGroq } from "@langchain/groq";
import { ChatMistralAI } from "@langchain/mistralai";
import { ChatOpenAI } from "@langchain/openai";
import { type DialectName, dialectNames, createDialect } from "../../helpers/dialects-under-test.js";
import { DialectTool } from "../../../src/langchain/dialect-tool.js";
import { anthropicRules, countUnions, geminiRules, type SchemaRules, strictRules } from "../../helpers/schema-rules.js";

type Json = Record<string, unknown>;

interface Provider {
  /** Returns the schemas that the client sends for some tools. */
  convert: (tools: StructuredToolInterface[]) => Json[];
  rules: SchemaRules;
}

const apiKey = "key";
const anthropic = new ChatAnthropic({ apiKey, model: "claude-sonnet-4-5" });
const gemini = new ChatGoogleGenerativeAI({ apiKey, model: "gemini-2.5-flash" });
const google = new ChatGoogle({ apiKey, model: "gemini-2.5-flash" });
const groq = new ChatGroq({ apiKey, model: "openai/gpt-oss-20b" });
const mistral = new ChatMistralAI({ apiKey, model: "mistral-large-latest" });

const withStrict = { strict: true } as const;

/** Every tool goes out in the form of OpenAI's chat completions. */
function getFunctions(tools: unknown): Json[] {
  return (tools as { function: { parameters: Json; strict?: boolean } }[]).map((tool) => tool.function.parameters);
}

function getDeclarations(tools: unknown): Json[] {
  return (tools as { functionDeclarations?: { parameters: Json }[] }[]).flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.map(({ parameters }) => parameters),
  );
}

const openAI = (useResponsesApi: boolean): ChatOpenAI => new ChatOpenAI({ apiKey, model: "gpt-5", useResponsesApi });

const providers: Record<string, Provider> = {
  "ChatOpenAI, chat completions, strict": {
    convert: (tools) => {
      const sent = openAI(false).invocationParams({ tools, ...withStrict }).tools as {
        function: { strict: boolean };
      }[];
      expect(sent.map((tool) => tool.function.strict)).toEqual(tools.map(() => true));
      return getFunctions(sent);
    },
    rules: strictRules,
  },
  "ChatOpenAI, responses, strict": {
    convert: (tools) => {
      const bound = tools.map((tool) => convertToOpenAITool(tool));
      const { tools: sent } = openAI(true).invocationParams({ tools: bound, ...withStrict }) as unknown as {
        tools: { parameters: Json; strict: boolean }[];
      };
      expect(sent.map(({ strict }) => strict)).toEqual(tools.map(() => true));
      return sent.map(({ parameters }) => parameters);
    },
    rules: strictRules,
  },
  "ChatAnthropic, strict": {
    // Claude knows its own tool without a schema.
    convert: (tools) =>
      anthropic
        .formatStructuredToolToAnthropic(tools, withStrict)
        ?.flatMap((tool) => ("input_schema" in tool ? [tool.input_schema] : [])) ?? [],
    rules: anthropicRules,
  },
  ChatGoogleGenerativeAI: {
    convert: (tools) => getDeclarations(gemini.invocationParams({ tools }).tools),
    rules: geminiRules,
  },
  ChatGoogle: { convert: (tools) => getDeclarations(google.invocationParams({ tools }).tools), rules: geminiRules },
  "ChatGroq, strict": {
    convert: (tools) =>
      getFunctions(groq.invocationParams({ tools: tools.map((tool) => convertToOpenAITool(tool)) }).tools),
    rules: strictRules,
  },
  ChatMistralAI: { convert: (tools) => getFunctions(mistral.invocationParams({ tools }).tools), rules: strictRules },
};

function createTools(dialect: DialectName): StructuredToolInterface[] {
  return createDialect(dialect, { search: true }).tools.map((definition) => new DialectTool(definition));
}

const pairs = Object.keys(providers).flatMap((provider) => dialectNames.map((dialect) => [provider, dialect] as const));

describe("the schemas of the tools", () => {
  it.each(pairs)("keep the rules of %s: %s", (name, dialect) => {
    const { convert, rules } = providers[name] as Provider;
    const schemas = convert(createTools(dialect));
    const isNative = name.startsWith("ChatAnthropic") && dialect === "claude";
    expect(schemas).toHaveLength(createDialect(dialect, { search: true }).tools.length - (isNative ? 1 : 0));
    expect(schemas.flatMap(rules)).toEqual([]);
  });

  it.each(dialectNames)("have few enough unions for Anthropic's strict mode: %s", (dialect) => {
    const unions = createTools(dialect).map(({ schema }) => countUnions(schema as unknown as Json));
    expect(unions.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(16);
  });

  it("would be seen breaking the rules", () => {
    const property = { type: ["string", "null"], enum: ["a", null], minLength: 1 };
    const broken = {
      type: "object",
      properties: { property, empty: { type: "object", properties: {} } },
      required: [],
    };
    for (const { rules } of Object.values(providers)) expect(rules(broken)).not.toEqual([]);
    expect(geminiRules(broken).join("\n")).toMatch(/no single type[^]*null in an enum[^]*has no properties/);
    expect(geminiRules({ anyOf: [{ type: "string" }, { type: "null" }], description: "x" })).toEqual([
      "arguments: has a key beside anyOf",
    ]);
  });
});
