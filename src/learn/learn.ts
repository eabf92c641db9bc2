import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import type { MemoryAccess } from "../core/access/policy.js";
import type { MemoryProposal } from "../core/approval/memory-proposals.js";
import { readFilesFrom } from "../core/bulk.js";
import { lostRace } from "../core/runtime/lost-race.js";
import { hasCode, invalid } from "../core/values/errors.js";
import { normalizePath } from "../core/values/paths.js";
import { createFactsId, hashSha256 } from "../core/values/sha256.js";
import { toMessages } from "../langchain/to-messages.js";
import { askModel, getModelName } from "./ask-model.js";
import { createPrompt, createRepairPrompt } from "./create-prompt.js";
import { findKnownTexts, findSimilarFiles, listWritable, readNewVersions } from "./gather-input.js";
import { type LearnedMemory, openLearnedMemory } from "./learned-memory.js";
import { dropRefused, makeChanges, StaleRun } from "./make-changes.js";
import { type LearnOperation, readOperations } from "./operation.js";
import { checkLearnOptions, findLogZone, type LearnOptions, type LearnSettings } from "./options.js";
import { getArchivedPath, type OperationPlan, planOperations } from "./plan-operations.js";
import { createReport, type LearnReport } from "./report.js";
import { learnClient, readMessages, type Source, takeSources } from "./sources.js";

const maxUnwanted = 20;

/**
 * Lets a model propose what should be remembered of a conversation, or of what changed since the last good run. The
 * program checks each operation, and a person decides. If nothing is new, the model is not asked. A run that failed
 * changes nothing that the next one would not do again. If another run has read the same texts meanwhile, it makes no
 * further change.
 *
 * @throws TypeError for bad options, or for a memory that keeps no proposals; the errors of the model and of the memory;
 * MemoryError ECONFLICT if another run has read the same texts meanwhile
 */
export async function learn(options: LearnOptions & { messages?: BaseMessageLike[] }): Promise<LearnReport> {
  const settings = checkLearnOptions(options);
  const timeZone = findLogZone(settings.memory);
  return runLearn({ ...settings, timeZone }, readMessages(toMessages(settings.messages), timeZone));
}

/**
 * @param messages the texts of the messages
 * @throws as `learn`
 */
export async function runLearn(
  settings: LearnSettings & { timeZone: string },
  messages: readonly Source[],
): Promise<LearnReport> {
  const opened = openLearnedMemory(settings.memory, settings);
  const { limits, signal, model, timeZone } = settings;
  const { address } = opened.memory;
  const record = opened.proposals.progress();
  const progress = await record.open();
  const news = settings.changes
    ? await readNewVersions(opened, progress.bookmark, { ...limits, timeZone })
    : { sources: [], bookmark: progress.bookmark, more: false };
  const taken = takeSources(messages, limits.inputChars);
  const sources = [...takeSources(news.sources, limits.inputChars), ...taken];
  const runId = createRunId(opened, sources, progress.salt);
  const { bookmark, more } = news;
  const unread = messages.length - taken.length;
  if (sources.length === 0 || runId === progress.lastRunId) {
    await record.advance(progress, { ...progress, bookmark });
    return createReport(address, { isUpToDate: true, unread, more });
  }
  const report = createReport(address, { runId, unread, more });
  const labelled = new Map(sources.map((source, index) => [`s${index + 1}`, source]));
  const run = { actor: { client: learnClient, runId }, salt: progress.salt };
  const plan = await askForPlan(opened, settings, { sources: labelled, run, usage: report.usage });
  report.dropped.push(...plan.dropped);
  const checkCurrent = async (change: { sources: readonly Source[] }): Promise<void> => {
    const current = await record.read();
    const isRead = settings.changes && current?.bookmark !== progress.bookmark;
    if (current === null || current.lastRunId === runId || isRead) throw new StaleRun(current === null);
    for (const { id } of change.sources) await assertPresent(opened, id);
  };
  const changeSettings = { ...run, model: getModelName(model), signal, checkCurrent };
  try {
    await makeChanges(opened, plan.changes, changeSettings, report);
  } catch (error) {
    throw error instanceof StaleRun ? lostRace() : error;
  }
  await record.advance(progress, { bookmark, lastRunId: runId });
  return report;
}

interface LearnQuestion {
  /** The new texts, by label. */
  sources: ReadonlyMap<string, Source>;
  run: Parameters<typeof dropRefused>[2];
  usage: LearnReport["usage"];
}

/** Calls the model, and once more if some operations are refused. */
async function askForPlan(
  opened: LearnedMemory,
  { limits, write, instructions, apply, allowDelete, model, signal }: LearnSettings,
  { sources, run, usage }: LearnQuestion,
): Promise<OperationPlan> {
  const known = await findKnownTexts(opened, [...sources.values()], limits.inputChars);
  const paths = await listWritable(opened, write);
  const unwanted = await readRejected(opened);
  const prompt = createPrompt({ sources, write, paths, unwanted, ...known }, instructions);
  const ask = async (messages: BaseMessage[], accepted: readonly LearnOperation[]): Promise<OperationPlan> => {
    const answer = await askModel(model, messages, { allowDelete, signal, usage });
    const { operations, dropped } = readOperations(answer, limits.operations);
    const all = [...accepted, ...operations];
    const texts = await readTexts(opened, all);
    const { operations: maxOperations, removedShare } = limits;
    const accessAt = (path: string): MemoryAccess => opened.memory.rights?.accessAt?.(path) ?? "write";
    const bounds = { maxOperations, removedShare, allowDelete, accessAt };
    const isAtOnce = (operation: LearnOperation): boolean => apply === "append-only" && mayAdd(opened, operation);
    const plan = planOperations(all, { texts, sources, mayChange: opened.mayChange, isAtOnce, ...bounds });
    return dropRefused(opened, { ...plan, dropped: [...dropped, ...plan.dropped] }, run);
  };
  const first = await ask(prompt, []);
  if (first.dropped.length === 0) return first;
  return ask([...prompt, createRepairPrompt(first.dropped)], first.accepted);
}

/** Whether an operation is an addition that needs no approval by the rights of the memory. */
function mayAdd({ memory: { rights } }: LearnedMemory, { operation, path }: LearnOperation): boolean {
  const target = operation === "append" || operation === "write" ? toPath(path) : null;
  return target !== null && rights?.accessAt?.(target) !== "ask";
}

/** Reads the present texts of the files that operations name, and of those that may have the text of a new file. */
async function readTexts(opened: LearnedMemory, operations: readonly LearnOperation[]): Promise<Map<string, string>> {
  const written = operations.flatMap(({ operation, text }) => (operation === "write" && text ? [text] : []));
  const named = operations.flatMap(({ path, to, operation }) => [
    path,
    to ?? "",
    operation === "archive" ? getArchivedPath(path) : "",
  ]);
  const similar = await findSimilarFiles(opened, written);
  const paths = new Set([...named, ...similar].map(toPath).filter((path) => path !== null));
  const files = await readFilesFrom(opened.memory, [...paths]);
  return new Map(Array.from(files, ([path, { content }]) => [path, content]));
}

function toPath(given: string): string | null {
  try {
    return normalizePath(given);
  } catch {
    return null;
  }
}

/** Reads the newest rejected changes, oldest first. Leaves out those whose text is redacted. */
async function readRejected({ proposals }: LearnedMemory): Promise<MemoryProposal[]> {
  const found = await proposals.newest(learnClient, "rejected", maxUnwanted);
  return found.filter(({ base }) => base !== "");
}

/** The same new texts have the same run id, also after a crash. */
function createRunId({ memory: { address } }: LearnedMemory, sources: readonly Source[], salt: string): string {
  const { nodeId, scope, threadId, userId } = { threadId: null, userId: null, ...address };
  const texts = sources.map(({ id, text }) => [id, hashSha256(text)]);
  return `${learnClient}-${createFactsId([salt, nodeId, scope, threadId, userId, texts])}`;
}

/** @throws MemoryError if a version is forgotten or redacted by now */
async function assertPresent({ history }: LearnedMemory, id: string): Promise<void> {
  const [kind, version = ""] = id.split(/:(.*)/s);
  if (kind !== "version" || history === null) return;
  const { redactedAt } = await history.read(version).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) throw invalid("a text that it rests on is gone");
    throw error;
  });
  if (redactedAt !== undefined) throw invalid("a text that it rests on is redacted");
}
