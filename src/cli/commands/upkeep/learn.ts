import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { Option } from "commander";
import { readFile } from "node:fs/promises";
import { unifiedDiff } from "../../../core/history/unified-diff.js";
import { MemoryError } from "../../../core/values/errors.js";
import { getField } from "../../../core/values/unknown-values.js";
import type { LearnOptions } from "../../../learn/options.js";
import type { LearnChange } from "../../../learn/plan-operations.js";
import type { LearnReport } from "../../../learn/report.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { createCommand, numberOption, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { about, CommandError, exitCodes, usageError, withFile } from "../../errors.js";
import { formatAddress } from "../../targets/address.js";
import { withMemories, withMemory } from "../../targets/open-target.js";
import { checkPatterns, memoryOptions, refuseOptions, type TargetOptions } from "../../targets/target-options.js";
import { countText } from "../../terminal/format.js";
import { decodeUtf8 } from "../../terminal/text-input.js";
import { styleDiff } from "../history/format.js";
import { getHistory } from "../history/history-command.js";

interface LearnInput extends TargetOptions, Pick<LearnOptions, "read" | "write" | "apply"> {
  model: string;
  instructions?: string;
  due?: boolean;
  limit?: number;
  dryRun?: boolean;
}

export const learn = createCommand<LearnInput>({
  usage: "learn",
  description:
    "Let a model propose what to remember of the changes since the last good run. A person decides about the " +
    "proposals. It needs the package langchain and that of the model's provider. The command does not " +
    "know the rules and guards of programs.",
  examples: [
    "learn --node assistant --model openai:gpt-5 --dry-run",
    "learn --node assistant --user ada --model openai:gpt-5",
    "learn --due --limit 50 --model openai:gpt-5 --json",
  ],
  options: [
    new Option("--model <provider:name>", "a chat model, as LangChain's initChatModel takes it").makeOptionMandatory(),
    new Option("--due", "learn from the memories of the node, or of all nodes, that are due"),
    numberOption(
      "--limit <number>",
      "with --due: work on at most this many memories",
      [1, 1000],
      "is not from 1 to 1000",
    ),
    new Option("--dry-run", "show the changes, and do not propose them"),
    new Option("--read <pattern...>", "paths whose changes are learnt from (default: all)"),
    new Option("--write <pattern...>", "paths that may be changed (default: /profile/** and /projects/**)"),
    new Option("--apply <how>", "whether additions are made at once").choices(["propose", "append-only"]),
    new Option("--instructions <file>", "a file with your own instructions about what is worth keeping"),
    ...memoryOptions,
  ],
  run: async (input, context) => {
    if (input.due === true) refuseOptions(input, ["user", "thread", "dryRun"], "does not go with --due");
    else refuseOptions(input, ["limit"], "goes with --due");
    const { read, write, apply, instructions: file } = input;
    checkPatterns("--read", read);
    checkPatterns("--write", write);
    const instructions = file === undefined ? undefined : await readInstructions(file);
    const model = await openModel(input.model);
    const options = { ...pickDefined({ read, write, apply, instructions }), model };
    return input.due === true ? learnFromDue(input, options, context) : learnFromOne(input, options, context);
  },
});

type ModelOptions = Omit<LearnOptions, "memory">;

async function learnFromOne(input: LearnInput, options: ModelOptions, context: CliContext): Promise<Report> {
  const { checkLearnOptions } = await import("../../../learn/options.js");
  const { runLearn } = await import("../../../learn/learn.js");
  return withMemory(context, input, { access: "write" }, async (open) => {
    const { memory, name } = open;
    await getHistory(open);
    const planned: LearnChange[] | undefined = input.dryRun === true ? [] : undefined;
    const settings = checkLearnOptions({ ...options, memory });
    const report = await about(name, () => runLearn(settings, [], planned)).catch(reportModel);
    const changes = await Promise.all((planned ?? []).map(describeChange));
    const texts = changes.map(
      ({ title, reason, diff }) => `${context.out.foreign(`${title}: ${reason}`)}\n${styleDiff(diff, context.out)}\n`,
    );
    const json = { ...report, ...(input.dryRun === true && { changes }) };
    return { json, text: texts.join("") + formatReport(report, planned) };
  });
}

async function learnFromDue(input: LearnInput, options: ModelOptions, context: CliContext): Promise<Report> {
  const { learnDue } = await import("../../../learn/learn-due.js");
  const { MemoryNode } = await import("../../../graph/memory-node.js");
  const { MongoMemoryStore } = await import("../../../mongodb/store/mongo-memory-store.js");
  return withMemories(context, input, async (database) => {
    const { client, db, collectionName: memoriesCollection } = database;
    const store = new MongoMemoryStore({ client, dbName: db.databaseName, memoriesCollection, history: true });
    const nodes = [];
    for await (const { nodeId, scope } of database.nodes())
      if (input.node === undefined || input.node === nodeId)
        nodes.push(new MemoryNode({ nodeId, scope, ...pickDefined({ paths: input.paths }) }));
    const { limit } = input;
    const found = nodes.length === 0 ? [] : await learnDue({ ...options, ...pickDefined({ limit }), store, nodes });
    const reports = found.map((report) => ({
      ...report,
      error: report.error === null ? null : getMessage(report.error),
    }));
    if (reports.some(({ error }) => error !== null)) context.exitCode = exitCodes.refused;
    const lines = reports.map((report) => {
      const { address, error } = report;
      const result = error === null ? formatReport(report) : `failed: ${context.out.foreign(error)}\n`;
      return `${context.out.foreign(formatAddress(address))}: ${result}`;
    });
    return { json: { reports }, text: `${lines.join("")}${countText(reports.length, "memory")}\n` };
  });
}

/** Opens a model of any provider. @throws CommandError that says what to install */
async function openModel(name: string): Promise<BaseChatModel> {
  try {
    const { initChatModel } = await import("langchain/chat_models/universal");
    // A person waits: the models themselves would try for minutes.
    return await initChatModel(name, { maxRetries: 2 });
  } catch (error) {
    const isMissing = /MODULE_NOT_FOUND/.test(String(getField(error, "code")));
    const reason = isMissing ? "it needs the package langchain: npm install langchain" : getMessage(error);
    throw usageError(`--model ${name}: ${reason}`, error);
  }
}

async function readInstructions(file: string): Promise<string> {
  return decodeUtf8(await withFile(`--instructions ${file}`, "read", () => readFile(file)), file);
}

/** An error that is not a MemoryError comes from the model, as a memory of a database keeps a history and proposals. */
function reportModel(error: unknown): never {
  if (MemoryError.isInstance(error) || error instanceof CommandError) throw error;
  throw new CommandError("EIO", `the model failed: ${getMessage(error)}`);
}

async function describeChange({ kind, path, to, before, after, reasons }: LearnChange) {
  const title = to === null ? `${kind} ${path}` : `${kind} ${path} to ${to}`;
  const isMove = kind === "rename";
  const diff = isMove ? "" : await unifiedDiff({ name: path, text: before ?? "" }, { name: path, text: after }, null);
  return { kind, path, to, title, reason: reasons.join(" "), diff };
}

function formatReport(
  { busy, nothing, proposals, applied, dropped, more }: LearnReport,
  planned?: readonly unknown[],
): string {
  if (busy) return "another run works on it\n";
  if (nothing) return more ? "nothing to learn from yet; the next run goes on\n" : "nothing is new\n";
  const counts = [
    planned === undefined ? countText(proposals.length, "proposal") : countText(planned.length, "change"),
    ...(applied.length > 0 ? [countText(applied.length, "addition")] : []),
    ...(dropped.length > 0 ? [`${dropped.length} refused`] : []),
  ];
  return `${counts.join(", ")}${more ? "; the next run goes on" : ""}\n`;
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
