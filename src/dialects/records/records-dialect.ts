import { MemoryError, type MemoryErrorCode } from "../../core/values/errors.js";
import type { Memory } from "../../core/memory.js";
import { normalizePath, ROOT } from "../../core/values/paths.js";
import { createSchema, defineTool, type DialectError, type ToolAnswers } from "../define-tool.js";
import type { Dialect } from "../dialect.js";
import { defaultAnswerChars } from "../answer-bounds.js";
import { findPassages } from "../found-passages.js";
import { optional } from "../read-arguments.js";
import { RecordArguments, nameFault } from "./arguments.js";
import { badPath, createRecordError, getRecordCode, notAllowed, notFound } from "./errors.js";
import { checkRecordOptions, type RecordToolsOptions } from "./options.js";
import type * as yamlText from "./yaml.js";
import type { Fields } from "./yaml.js";

export type RecordToolName = "add_memory" | "replace_memory" | "drop_memory" | "clear_memory" | "memory_search";

/** The names under which the model knows the tools. */
type ToolNames = Record<RecordToolName, string>;

interface Call {
  args: RecordArguments;
  toolNames: ToolNames;
  openMemory: () => Promise<Memory>;
  maxAnswerChars: number;
  /** Read before anything changes, because a clock may throw. */
  now: Date;
}

interface RecordCommand {
  describe: (toolNames: ToolNames) => string;
  properties: Record<string, object>;
  /** @default false */
  readOnly?: boolean;
  destructive: boolean;
  /**
   * Checks every argument, then runs one atomic command. Returns the fields that follow the status, in the order of the
   * reference.
   */
  run: (call: Call) => Promise<Fields>;
}

const path = {
  type: "string",
  description:
    'Relative path of the memory, such as "project/todo": letters, digits, "_", "-", "." and "/", at most 255 ' +
    "characters.",
};
const content = { type: "string", description: "The whole text of the memory, at most 1 MB." };

const commands: Record<RecordToolName, RecordCommand> = {
  add_memory: {
    describe: ({ replace_memory }) =>
      `Creates a memory at a path where there is none. To change one that exists, use ${replace_memory}.`,
    properties: { path, content },
    destructive: false,
    run: addMemory,
  },
  replace_memory: {
    describe: ({ add_memory }) =>
      `Replaces the whole content of a memory that exists. To create one, use ${add_memory}.`,
    properties: { path, content },
    destructive: true,
    run: replaceMemory,
  },
  drop_memory: {
    describe: () => "Deletes one memory. No tool can undo this.",
    properties: { path },
    destructive: true,
    run: dropMemory,
  },
  clear_memory: {
    describe: () => "Deletes all memories at once. No tool can undo this.",
    // Gemini refuses a schema without properties.
    properties: { reason: optional({ type: "string", description: "Why, for the people who read it." }) },
    destructive: true,
    run: async ({ openMemory, now }) => {
      const { files, madeAt } = await (await openMemory()).delete(ROOT);
      return { cleared_count: files, cleared_at: madeAt ?? now };
    },
  },
  memory_search: {
    describe: () =>
      "Finds the passages of all memories that have most to do with some words, in whatever form they are written.",
    properties: {
      query: { type: "string", description: "What to search for, in a few words or a question." },
      path: optional({
        type: "string",
        description: "Relative path of one memory, or of a folder of them, to search only there.",
      }),
    },
    readOnly: true,
    destructive: false,
    run: searchMemory,
  },
};

/** Offered only if an option enables it. */
const searchTool: RecordToolName = "memory_search";

async function addMemory({ args, toolNames, openMemory, now }: Call): Promise<Fields> {
  const name = args.newPath();
  const text = args.content();
  // The rule that allows all names that records can have.
  const memory = (await openMemory()).with({ paths: "posix" });
  const exists = `Path "${name}" already exists, please use ${toolNames.replace_memory} to update`;
  const translate: Translation = {
    EEXIST: () => createRecordError("MEMORY_ALREADY_EXISTS", exists),
    // Not MEMORY_ALREADY_EXISTS, because replace_memory would refuse a folder, too.
    EISDIR: () => badPath(name, "is a folder of memories, please choose another path"),
    ENOTDIR: () => badPath(name, "is below another memory, please choose another path"),
    EINVAL: ({ message }) => notAllowed(name, message),
  };
  const { sizeBytes, madeAt } = await translateErrors(translate, () => memory.write(name, text, { ifExists: "fail" }));
  return { path: name, content_size: sizeBytes, created_at: madeAt ?? now };
}

async function replaceMemory({ args, toolNames, openMemory, now }: Call): Promise<Fields> {
  const name = args.path();
  const text = args.content();
  const memory = await openMemory();
  const translate = translateMissing(name, `, please use ${toolNames.add_memory} to create first`);
  const { sizeBytes, madeAt } = await translateErrors(translate, () => memory.write(name, text, { ifMissing: "fail" }));
  return { path: name, content_size: sizeBytes, updated_at: madeAt ?? now };
}

async function dropMemory({ args, openMemory, now }: Call): Promise<Fields> {
  const name = args.path();
  const memory = await openMemory();
  const { files, madeAt } = await translateErrors(translateMissing(name), () =>
    memory.delete(name, { ifDirectory: "fail" }),
  );
  if (files === 0) throw createMissingError(name);
  return { path: name, deleted_at: madeAt ?? now };
}

async function searchMemory({ args, openMemory, maxAnswerChars }: Call): Promise<Fields> {
  const query = args.query();
  const place = args.place();
  const { passages, leftOut } = await findPassages(await openMemory(), query, normalizePath(place), maxAnswerChars);
  const shown = passages.map((hit) => ({
    path: hit.path.slice(1),
    lines: hit.startLine === hit.endLine ? String(hit.startLine) : `${hit.startLine}-${hit.endLine}`,
    text: hit.text,
  }));
  return { passages: shown, ...(leftOut !== "" && { left_out: leftOut }) };
}

/** The dialect's errors for some codes of the memory. */
type Translation = Partial<Record<MemoryErrorCode, (error: MemoryError) => DialectError>>;

function translateMissing(name: string, hint?: string): Translation {
  return {
    ENOENT: () => createMissingError(name, hint),
    EINVAL: ({ message }) => nameFault(name) ?? notAllowed(name, message),
    EISDIR: () => notFound(name, " as a memory: it is a folder of memories"),
  };
}

function createMissingError(name: string, hint?: string): DialectError {
  return nameFault(name) ?? notFound(name, hint);
}

async function translateErrors<T>(translate: Translation, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    throw translate[error.code]?.(error) ?? error;
  }
}

let yamlModule: Promise<typeof yamlText> | undefined;

/**
 * Loads the library at the first call. Reason: the command line lists all dialects and should not wait for the library.
 * The promise is kept, because even `import()` of a loaded module takes half a millisecond.
 */
function loadYaml(): Promise<typeof yamlText> {
  yamlModule ??= import("./yaml.js");
  return yamlModule;
}

const recordAnswers: ToolAnswers<Fields> = {
  success: async (fields) => (await loadYaml()).toYaml({ status: "ok", ...fields }),
  proposed: async (proposal) => (await loadYaml()).toYaml({ status: "proposed", proposal }),
  refusal: async (error) =>
    (await loadYaml()).toYaml({ status: "error", error_code: getRecordCode(error), message: error.message }),
  // A constant text, because `failure` cannot wait for the library.
  failure: () => "status: error\nerror_code: MEMORY_STORAGE_ERROR\nmessage: The memory could not be opened\n",
};

/** Creates the dialect `records` with other options. @throws TypeError for bad options */
export function createRecordsDialect(options: RecordToolsOptions = {}): Dialect {
  checkRecordOptions(options);
  const { clock = () => new Date(), prefix = "", search = false, maxAnswerChars = defaultAnswerChars } = options;
  // `Object.fromEntries` loses the type of the names.
  const toolNames = Object.fromEntries(Object.keys(commands).map((name) => [name, prefix + name])) as ToolNames;
  const offered = Object.entries(commands).filter(([name]) => search || name !== searchTool);
  const tools = offered.map(([name, command]) => {
    const { describe, properties, readOnly = false, destructive, run } = command;
    const names = Object.keys(properties);
    return defineTool({
      name: prefix + name,
      description: describe(toolNames),
      schema: createSchema(properties),
      shownRoot: "",
      readOnly,
      destructive,
      run: async (given, openMemory) => {
        // Loaded before anything changes, because loading may fail.
        await loadYaml();
        const args = new RecordArguments(given, names);
        return run({ args, toolNames, openMemory, maxAnswerChars, now: new Date(clock().toISOString()) });
      },
      answers: recordAnswers,
    });
  });
  return { name: "records", tools };
}
