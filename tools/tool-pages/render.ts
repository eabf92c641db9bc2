import { InMemoryStore } from "@langchain/langgraph";
import { type FlatSchema, adaptTool, type ToolAnswer, type ToolDefinition } from "../../src/dialects/dialect.js";
import { openMemory } from "../../src/open-memory.js";
import { mostColumns } from "../../__tests__/helpers/documentation.js";
import type { CallPage, DialectPage } from "./dialect-page.js";

type Arguments = Record<string, unknown>;

interface Property {
  isOptional: boolean;
  type: string;
  description?: string;
  enum?: string[];
  items?: Omit<Property, "isOptional">;
}

/** The page in Markdown. Every example is run. @throws Error where an example is refused, or a refusal is not */
export async function renderPage(page: DialectPage): Promise<string> {
  const tools = page.dialect().tools;
  const calls = await Promise.all(page.calls.map((call) => renderCall(page, call)));
  const parts = [
    `# ${page.title}`,
    "<!-- Made by `npm run docs:tools` from the tools themselves and from `tools/tool-pages`. Do not edit it here. -->",
    page.introduction,
    ...tools.filter(hasCommands).map((tool) => `## The tool \`${tool.name}\`\n\n${renderTool(tool)}`),
    ...calls,
    page.end,
  ];
  return `${parts.map((part) => part.trim()).join("\n\n")}\n`;
}

function hasCommands({ schema }: ToolDefinition): boolean {
  return "command" in schema.properties;
}

/** Renders the description and the arguments that the model reads, with the default rule of paths. */
function renderTool(definition: ToolDefinition): string {
  const { schema } = definition;
  const rows = propertiesOf(schema).map(([argument, property]) => {
    const isRequired = property.isOptional ? "" : "yes";
    return `| \`${argument}\` | ${cell(code(typeOf(property)))} | ${isRequired} | ${cell(property.description ?? "")} |`;
  });
  const table = ["| argument | type | required | description |", "|---|---|---|---|", ...rows].join("\n");
  return [
    "The model reads this about it:",
    block("text", adaptTool(definition, { paths: "posix" }).description),
    rows.length > 0 ? table : "It takes no arguments.",
  ].join("\n\n");
}

async function renderCall(page: DialectPage, call: CallPage): Promise<string> {
  const tool = toolOf(page, call);
  const examples = await Promise.all(call.examples.map((args) => renderExample(page, call, args)));
  const rows = await Promise.all(
    call.refusals.map(async ({ args, instead }) => {
      const { text } = await answerTo(page, call, args, true);
      return `- ${code(json(args))}: ${code(page.refusalIn(text))}. ${instead}`;
    }),
  );
  return [
    `## \`${call.command ?? call.tool}\``,
    call.does,
    ...(hasCommands(tool) ? [] : [renderTool(tool)]),
    ...examples,
    ...(rows.length > 0 ? [rows.join("\n")] : []),
  ].join("\n\n");
}

async function renderExample(page: DialectPage, call: CallPage, args: Arguments): Promise<string> {
  const { text } = await answerTo(page, call, args, false);
  const answer = page.answerLanguage === "json" ? jsonBlock(JSON.parse(text)) : block(page.answerLanguage, text);
  return [jsonBlock(args), answer].join("\n\n");
}

/** The answer on a memory of its own, on which the calls of `prepare` were made. */
async function answerTo(page: DialectPage, { tool }: CallPage, args: Arguments, failed: boolean): Promise<ToolAnswer> {
  const memory = openMemory(new InMemoryStore(), { nodeId: "assistant" });
  for (const call of page.prepare) await toolOf(page, call).answer(call.args, async () => memory);
  const answer = await toolOf(page, { tool }).answer(args, async () => memory);
  if (answer.failed !== failed) throw new Error(`${tool}(${json(args)}) answers ${answer.text}`);
  return answer;
}

function toolOf(page: DialectPage, { tool }: { tool: string }): ToolDefinition {
  const { name, tools } = page.dialect();
  const definition = tools.find((each) => each.name === tool);
  if (definition === undefined)
    throw new Error(`the page of ${name} shows a tool ${tool}, which the dialect does not have`);
  return definition;
}

function propertiesOf(schema: FlatSchema): [name: string, property: Property][] {
  return Object.entries(schema.properties as Record<string, Property & { anyOf?: [Property] }>).map(
    ([name, { anyOf, ...property }]) => [name, { ...(anyOf?.[0] ?? property), isOptional: anyOf !== undefined }],
  );
}

function typeOf({ type, enum: values, items }: Omit<Property, "isOptional">): string {
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  return items === undefined ? type : `${typeOf(items)}[]`;
}

/** On one line, with spaces as people write it. */
function json(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replaceAll(/\[\n */g, "[")
    .replaceAll(/\n *\]/g, "]")
    .replaceAll(/\n */g, " ");
}

function jsonBlock(value: unknown): string {
  const line = json(value);
  return block("json", line.length <= mostColumns ? line : JSON.stringify(value, null, 2));
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** Code in running text, which may be in a cell of a table. */
function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
