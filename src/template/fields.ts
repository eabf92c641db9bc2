import { z } from "zod";
import { rulesField } from "../core/access/policy.js";
import { mountFields } from "../core/mounts/mounts.js";
import { maxTimeoutMs } from "../core/settings/check-options.js";
import { largestFileBytes } from "../core/values/text.js";
import { memoryDefaults, memoryOptionFields } from "../core/memory-options.js";
import { isTimeZone } from "../core/settings/time-zone.js";
import { logFields } from "../conversation/options.js";
import { connectorDefaults, connectorFields } from "../prompt/connector-options.js";
import { memoryToolFields } from "../dialects/unified/options.js";
import type {
  AgentTemplate,
  GraphJoin,
  LogTemplate,
  MemoryConnectorTemplate,
  MemoryTemplate,
  MemoryToolTemplate,
  MountTemplate,
  Template,
} from "./definition.js";

// The fields of a definition. The text of `describe` becomes the description in the JSON Schema.

/** The rule of memory addresses (`core/values/address.ts`), because the id of a node names its memory. */
const idSchema = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must have no control character");
const idRule = "a text of 1 to 512 characters, none of them a control character";
const someText = z.string().min(1).optional();

const scopeField = z.enum(["global", "perThread", "perUser"]).optional();

const mountTemplateFields = {
  nodeId: idSchema.optional().describe(`${idRule}: what the memory is called in the store`),
  scope: scopeField.describe('"global" (the default), "perThread" or "perUser"'),
  access: z
    .enum(["write", "append", "read", "ask"])
    .optional()
    .describe('"write" (the default), "append", "read" or "ask" (a person approves each change)'),
  description: mountFields.description.describe(
    "a text of 1 to 500 characters that tells a model what the memory is for",
  ),
} satisfies Record<keyof MountTemplate, z.ZodType>;

const logTemplateFields = {
  path: logFields.path.describe('a path such as "/conversations" (the default): the directory of the log'),
  timeZone: z
    .string()
    .refine(isTimeZone)
    .optional()
    .describe('a time zone such as "Europe/Berlin" (default "UTC"): whose day it is'),
  keepDays: logFields.keepDays.describe("a whole number from 1 to 36500: how many days are kept (default: all)"),
} satisfies Record<keyof LogTemplate, z.ZodType>;

const memoryFields = {
  nodeId: idSchema
    .optional()
    .describe(`${idRule}: what the memory is called in the store (default: the id of the node)`),
  scope: scopeField.describe(
    '"global" (one memory for all; the default), "perThread" (one for each thread) or "perUser" (one for each user)',
  ),
  mounts: z
    .record(z.string(), z.strictObject(mountTemplateFields))
    .optional()
    .describe(
      'an object of further memories by mount point, such as { "/team": { "nodeId": "team", "access": "read" } }',
    ),
  paths: memoryOptionFields.paths.describe(
    '"plain" (names of letters, digits, "_", "-" and spaces; the default) or "posix" (any Unicode)',
  ),
  maxFileBytes: memoryOptionFields.maxFileBytes.describe(
    `a whole number from 1 to ${largestFileBytes}: the largest file in bytes ` +
      `(default ${memoryDefaults.maxFileBytes})`,
  ),
  maxMemoryBytes: memoryOptionFields.maxMemoryBytes.describe(
    `a whole number from 1: the largest memory in bytes (default ${memoryDefaults.maxMemoryBytes}, which is also ` +
      "the most)",
  ),
  timeoutMs: z
    .number()
    .int()
    .min(1)
    .max(maxTimeoutMs)
    .optional()
    .describe(
      `a whole number from 1 to ${maxTimeoutMs}: how long each call may take, in ms (default: that of the store, ` +
        `or ${memoryDefaults.timeoutMs})`,
    ),
  rules: rulesField
    .optional()
    .describe(
      'a list of at most 100 { "path", "access" }, the path absolute such as "/policies/**", the access "write", ' +
        '"append", "read" or "ask": what agents may do where; the first whose path fits decides (default: none)',
    ),
  log: z
    .union([z.boolean(), z.strictObject(logTemplateFields)])
    .optional()
    .describe(
      "true or false (the default), or an object: whether agents that show the memory keep a log of their conversations in it",
    ),
  onAsk: z
    .enum(["interrupt", "propose"])
    .optional()
    .describe(
      '"interrupt" (the run waits for a person; the default) or "propose" (a person decides later): what happens to ' +
        'a change where the access is "ask"',
    ),
} satisfies Record<keyof MemoryTemplate, z.ZodType>;

const agentFields = {
  systemPrompt: z
    .string()
    .optional()
    .describe("a text that goes before the messages of a conversation (default: none)"),
  title: someText.describe('a text of at least 1 character: what its runs are called in traces (default "LangGraph")'),
} satisfies Record<keyof AgentTemplate, z.ZodType>;

const toolFields = {
  name: memoryToolFields.name.describe(
    '1 to 64 letters, digits, "_" or "-": what the model calls the tool (default "memory")',
  ),
  description: memoryToolFields.description.describe(
    "a text of at least 1 character: what the model reads about the tool (default: a description of its commands)",
  ),
  title: memoryToolFields.title.describe("a text of at least 1 character: what people see of the tool (default: none)"),
  commands: memoryToolFields.commands.describe(
    'a list of at least one of "read", "list", "append", "update", "delete" and "search" (default: all but "search")',
  ),
  maxAnswerChars: memoryToolFields.maxAnswerChars.describe(
    "a whole number of at least 2000: the longest answer of the tool (default 40000)",
  ),
} satisfies Record<keyof MemoryToolTemplate, z.ZodType>;

const connectorTemplateFields = {
  placement: connectorFields.placement.describe('"after_system" (the default), "before_system" or "last_message"'),
  content: connectorFields.content.describe(
    '"tree" (paths and sizes), "index" (a line about each file, too), "full" (the contents of files, too) or "auto" ' +
      '(the contents that fit the turn; default: "auto" with a log or pinned, otherwise "tree")',
  ),
  maxChars: connectorFields.maxChars.describe(
    `a whole number from 1 to 200000: the longest text that is shown (default ${connectorDefaults.maxChars})`,
  ),
  pinned: connectorFields.pinned.describe(
    'a list of up to 100 absolute paths, which may hold *, ? and **: files that "auto" shows in full (default: none)',
  ),
  systemMessages: connectorFields.systemMessages.describe('"auto" (the default), "separate" or "merged"'),
  role: connectorFields.role.describe('"auto" (the default) or "user"'),
  root: connectorFields.root.describe(
    'an absolute path, such as "/memories", or "" for relative paths: what the model calls the root of the memory ' +
      "(default: as the tools of the agent take paths)",
  ),
} satisfies Record<keyof MemoryConnectorTemplate, z.ZodType>;

/** The fields of each template's config. */
export const configFields = {
  memory: memoryFields,
  agent: agentFields,
  memoryTool: toolFields,
  memoryConnector: connectorTemplateFields,
} satisfies Record<Template, object>;

export const templates = Object.keys(configFields);

export function isTemplate(name: unknown): name is Template {
  return typeof name === "string" && templates.includes(name);
}

/** The template of a node, with its config. */
export function createDataSchema<Name extends Template>(template: Name) {
  return z.object({
    template: z.literal(template),
    config: z.strictObject(configFields[template]).optional().describe(`the settings of the template "${template}"`),
  });
}

export const idField = idSchema.describe(`${idRule}, which no other node has`);

export const edgeSchema = z.object({
  source: z.string().describe("the id of a node"),
  sourceHandle: z
    .enum(["tools", "$self"])
    .describe('"tools" (of an agent) or "$self" (of a memory or a memoryConnector)'),
  target: z.string().describe("the id of a node"),
  targetHandle: z
    .enum(["$self", "$memory", "setMemoryConnector"])
    .describe(
      '"$self" (of a memoryTool), "$memory" (of a memoryTool, a memoryConnector or an agent) or ' +
        '"setMemoryConnector" (the "$memory" of an agent)',
    ),
} satisfies Record<keyof GraphJoin, z.ZodType>);
