import type { CheckedAddress } from "../values/address.js";
import type { MemoryBackend } from "../backend.js";
import { MemoryError } from "../values/errors.js";
import { lostRace, maxAttempts } from "../runtime/lost-race.js";
import type { Asking, Question } from "./asking.js";
import { carryOut, finish, newToken } from "./carry-out.js";
import type { ChangeCommand, ChangeRecord, ChangeRecords, PlannedChange } from "./change-record.js";
import { decisionIn, requestOf } from "./decision.js";
import { textAfter } from "./plan.js";
import { ProcessRecords } from "./process-records.js";

/** A change that waits for a person. */
export interface AskedChange {
  command: ChangeCommand;
  path: string;
  /** The change as it would be now; null where it would change nothing. @param shown how a path is shown */
  plan: (shown: (path: string) => string) => Promise<PlannedChange | null>;
  /** Told of a change that was made in an earlier run of the same call, for what the caller learns from the text. */
  replay?: (before: string | null) => unknown;
}

/** The memory that is changed. */
export interface AskedMemory {
  address: CheckedAddress;
  backend: MemoryBackend;
  /** Null where nobody can be asked. */
  asking: Asking | null;
  /** How a path is called in the tree that the asking speaks of. */
  shown: (path: string) => string;
  /** The text that may be stored in place of one that a person has written. */
  checked: (change: { command: ChangeCommand; path: string; content: string }) => Promise<string>;
  maxFileBytes: number;
}

/**
 * Makes a change that a person approves, as it was shown.
 * @returns what the command answers; null where there was nothing to change
 * @throws MemoryError EACCES where it is rejected, proposed, or nobody can be asked, and what ends a run until there is
 * an answer
 */
export async function makeAsked(memory: AskedMemory, change: AskedChange): Promise<PlannedChange["counts"] | null> {
  const { address, backend, asking, shown } = memory;
  const { command, path } = change;
  const question = asking?.question({ command, path, address }) ?? null;
  const own = backend.records?.() ?? null;
  if (asking?.onAsk === "propose") {
    if (own === null)
      throw cannotAsk(shown(path), 'proposals are kept in a MongoMemoryStore only: use one, or set onAsk: "interrupt"');
    return propose(own, asking, question, change);
  }
  if (asking === null || question === null || !question.canWait) {
    throw cannotAsk(
      shown(path),
      'this call is part of no run with a checkpointer: give the graph one, or set onAsk: "propose"; programs use the memory of the store itself',
    );
  }
  return interrupting(own ?? new ProcessRecords(backend), asking, question, memory, change);
}

async function interrupting(
  records: ChangeRecords,
  asking: Asking,
  question: Question,
  memory: AskedMemory,
  { plan, replay }: AskedChange,
): Promise<PlannedChange["counts"] | null> {
  const { id, toolName } = question;
  const found = await records.find(id);
  let asked = found?.kind === "interrupt" ? await finish(records, found) : null;
  if (asked?.status === "approved") {
    replay?.(asked.before);
    return asked.counts;
  }
  let askedAt = asked?.askedAt ?? null;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const planned = await plan(memory.shown);
    if (planned === null) return null;
    const isAsAsked = asked !== null && asked.base === planned.base;
    const current = asked !== null && isAsAsked ? asked : recordOf(planned, { id, kind: "interrupt" }, asking, records);
    const request = requestOf(current, toolName, memory.shown);
    const remember = async (at: number): Promise<void> => void (await records.put({ ...current, askedAt: at }));
    const decision = decisionIn(await question.answer(request, askedAt, remember), request);
    if (isAsAsked) {
      const edited = decision.type === "edit" ? await editedTo(current, decision.content, memory) : null;
      if (edited !== null && edited.after === current.before) return null;
      const claimed = await records.swap(
        id,
        { status: "pending" },
        { edited, status: "applying", token: newToken(), claim: newToken(), decidedAt: records.now() },
      );
      const made =
        claimed === null
          ? await finish(records, (await records.find(id)) ?? current)
          : await carryOut(records, claimed);
      if (made.status === "approved") return made.counts;
    }
    // The answer was about another text: the next question shows the present one.
    asked = null;
    askedAt = null;
  }
  throw lostRace();
}

async function propose(
  records: ChangeRecords,
  asking: Asking,
  question: Question | null,
  { plan }: AskedChange,
): Promise<null> {
  const id = question?.id ?? newToken();
  const known = question === null ? null : await records.find(id);
  if (known?.kind !== "proposal") {
    const planned = await plan((path) => path);
    if (planned === null) return null;
    await records.put(recordOf(planned, { id, kind: "proposal" }, asking, records));
  }
  const error = new MemoryError(
    "EACCES",
    `EACCES: the change is not made yet: it is proposed, and a person decides about it (proposal ${id})`,
  );
  error.proposal = id;
  throw error;
}

/** A change whose content a person has edited. */
export async function editedTo(
  { command, path, oldContent, before }: ChangeRecord,
  given: string,
  { checked, maxFileBytes }: Pick<AskedMemory, "checked" | "maxFileBytes">,
): Promise<{ content: string; after: string }> {
  const content = await checked({ command, path, content: given });
  return { content, after: textAfter({ command, oldContent }, before, content, maxFileBytes).text };
}

function recordOf(
  planned: PlannedChange,
  about: Pick<ChangeRecord, "id" | "kind">,
  { actor }: Asking,
  records: ChangeRecords,
): ChangeRecord {
  const undecided = {
    status: "pending",
    token: null,
    claim: null,
    askedAt: null,
    edited: null,
    decidedBy: null,
    decidedAt: null,
    reason: null,
  } as const;
  return { ...planned, ...about, ...undecided, actor, at: records.now() };
}

function cannotAsk(path: string, what: string): MemoryError {
  return new MemoryError(
    "EACCES",
    `EACCES: ${path} is changed only if a person approves (access "ask"), and nobody can be asked here: ${what}`,
  );
}
