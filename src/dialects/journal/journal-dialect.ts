import type { Memory } from "../../core/memory.js";
import { getInternals } from "../../core/bind-memory.js";
import { shownJson } from "../../core/display/shown-text.js";
import { findTimeZone } from "../../core/settings/time-zone.js";
import { createSchema, defineTool, DialectError, type ToolAnswers } from "../define-tool.js";
import type { Dialect } from "../dialect.js";
import { JournalArguments, checkNewKey, checkSingleLine } from "./arguments.js";
import { createJournalError, getJournalCode } from "./errors.js";
import { describeBlock, describeTime, Journal, searchPage } from "./journal.js";
import { defaultAnswerChars, describeLines, describeRest, getJsonLength, takeLines } from "../answer-bounds.js";
import { optional } from "../read-arguments.js";
import type { Resolved } from "./journal-files.js";
import { checkJournalOptions, type JournalOptions, journalRoot } from "./options.js";

export type JournalToolName = "memory_write" | "memory_update" | "memory_read" | "memory_search";

interface JournalCommand {
  description: string;
  properties: Record<string, object>;
  readOnly: boolean;
  destructive: boolean;
  /** Checks every argument, then runs the command. Returns the crate's `data`, with its keys in the crate's order. */
  run: (args: JournalArguments, openJournal: () => Promise<Journal>, maxChars: number) => Promise<object>;
}

const text = (description: string): object => ({ type: "string", description });
const labels = (description: string): object => optional({ type: "array", items: { type: "string" }, description });

/** Descriptions and arguments equal the crate's to the letter, but for tags, which only this search looks at. */
const commands: Record<JournalToolName, JournalCommand> = {
  memory_write: {
    description:
      "Create a new memory block only if `key` does not exist anywhere under the memory directory. `target: daily` " +
      "writes to YYYY/MM/dd.md (UTC date); `target: summary` appends to MEMORY.md. On duplicate key, returns " +
      "MEMORY_KEY_EXISTS — use memory_read then memory_update.",
    properties: {
      key: text("Single-line heading key (### key); must be globally unique"),
      content: text("Body text under the heading"),
      target: optional({ ...text("daily = dated log; summary = MEMORY.md"), enum: ["daily", "summary"] }),
      tags: labels("Optional labels in footer metadata"),
    },
    readOnly: false,
    destructive: false,
    run: async (args, openJournal) => {
      const key = args.key();
      const content = args.content();
      const tags = args.tags() ?? [];
      const target = args.target();
      checkNewKey(key);
      return { key, path: await (await openJournal()).write({ key, content }, target, tags), target };
    },
  },
  memory_update: {
    description:
      "Replace the canonical block for `key`: same resolution as memory_read (summary in MEMORY.md wins over daily " +
      "logs; then newest `at`). Removes that block from disk and appends the updated block at the end of the same file.",
    properties: {
      key: text("Existing ### key"),
      content: text("New body text"),
      tags: labels("Optional labels (replaces footer tags)"),
    },
    readOnly: false,
    destructive: true,
    run: async (args, openJournal) => {
      const key = args.key();
      const content = args.content();
      const tags = args.tags();
      checkSingleLine(key);
      const replaced = await (await openJournal()).update({ key, content }, tags);
      return { ...listDuplicates(replaced), key, kind: replaced.entry.kind, path: replaced.entry.file };
    },
  },
  memory_read: {
    description:
      "Load the canonical block for `key`: if any block exists in MEMORY.md, the newest among those is returned; " +
      'otherwise the newest among daily logs. Response includes `kind`: "summary" or "daily".',
    properties: {
      key: text("The ### heading key"),
      from_line: optional({ type: "integer", description: "First line of the content to show, from 1" }),
    },
    readOnly: true,
    destructive: false,
    run: async (args, openJournal, maxChars) => {
      const key = args.key();
      const first = args.fromLine();
      checkSingleLine(key);
      const found = await (await openJournal()).read(key);
      const { content } = found.entry;
      const at = describeTime(found.entry);
      const { tags, ...described } = { created_at: at, ...listDuplicates(found), ...describeBlock(found.entry) };
      const room = maxChars - getJsonLength({ tags, ...described, updated_at: at });
      const taken = takeLines(content, first, room);
      if (taken === null) throw createJournalError("MEMORY_INVALID_ARGUMENT", describeLines(content, "`from_line`"));
      const rest = describeRest(taken, first, "from_line");
      const shown = { content: taken.content, ...described, key, ...rest, tags };
      return { ...shown, ...(rest !== null && { truncated: true }), updated_at: at };
    },
  },
  memory_search: {
    description:
      "Substring search (case-insensitive) over keys, bodies and tags. Results include `kind` (summary vs daily). Summary " +
      "entries are listed before daily; within each tier, newer `at` first.",
    properties: {
      query: text("Substring; empty matches any (subject to tag filter)"),
      tags: labels("Block must contain all listed tags"),
      limit: optional({ type: "integer", description: "Max results (default 10, max 100)" }),
    },
    readOnly: true,
    destructive: false,
    run: async (args, openJournal, maxChars) => {
      const query = args.query();
      const tags = args.tags() ?? [];
      const limit = args.limit();
      const found = await (await openJournal()).search(query, tags, limit);
      return searchPage(found, maxChars);
    },
  },
};

/** The sentences of an answer. */
const sentenceChars = 250;

/**
 * The files of further blocks with the same key and kind, which only a person can have added. Omitted if there are
 * none.
 */
function listDuplicates({ duplicates }: Resolved): { duplicates?: string[] } {
  return duplicates.length > 0 ? { duplicates } : {};
}

/** Creates the dialect `journal` with other options. @throws TypeError for bad options */
export function createJournalDialect<Run = object>(options: JournalOptions<Run> = {}): Dialect {
  checkJournalOptions(options);
  const { clock = () => new Date(), timeZone, root: rootOption = "/", maxAnswerChars = defaultAnswerChars } = options;
  const root = journalRoot(rootOption);
  const openJournal = async (openMemory: () => Promise<Memory>): Promise<Journal> => {
    if (root instanceof DialectError) throw root;
    const memory = await openMemory();
    const run = getInternals(memory).run?.run;
    // The caller that chooses the run of a tool also chooses the type of its runs.
    const zone =
      typeof timeZone === "function" && run === undefined ? "UTC" : findTimeZone(timeZone ?? "UTC", run as Run);
    return new Journal(memory.with({ paths: "posix" }), { root, clock, timeZone: zone });
  };
  const tools = Object.entries(commands).map(([name, command]) => {
    const { properties, readOnly, destructive, run } = command;
    const description = command.description.replace("(UTC date)", nameDate(timeZone));
    const names = Object.keys(properties);
    return defineTool({
      name,
      description,
      schema: createSchema(properties),
      readOnly,
      destructive,
      run: async (args, openMemory) =>
        run(new JournalArguments(args, names), () => openJournal(openMemory), maxAnswerChars - sentenceChars),
      answers: journalAnswers,
    });
  });
  return { name: "journal", tools };
}

function nameDate(timeZone: unknown): string {
  if (typeof timeZone === "function") return "(the user's date)";
  return typeof timeZone === "string" ? `(${timeZone} date)` : "(UTC date)";
}

const journalAnswers: ToolAnswers<object> = {
  success: (data) => shownJson({ data, success: true }),
  proposed: (proposal) => shownJson({ data: { status: "proposed", proposal }, success: true }),
  refusal: (error) => refuse(getJournalCode(error), error.message),
  failure: () => refuse("MEMORY_STORAGE_ERROR", "the memory could not be opened"),
};

function refuse(code: string, message: string): string {
  return shownJson({ success: false, error: { code, message } });
}
