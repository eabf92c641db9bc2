import type { Memory } from "../../../src/index.js";
import { freshAddress } from "../memory-case.js";
import { recordAnswer, type Contents, readContents, describeDifference } from "./answers.js";
import type { Backends, Open } from "./backends.js";
import {
  beginning,
  type Bench,
  type Call,
  changeCalls,
  historyCalls,
  maxFileBytes,
  oddCalls,
  proposalCalls,
  readCalls,
  recordedBeginning,
} from "./calls.js";
import { policies } from "./policies.js";

interface Section {
  title: string;
  calls: readonly Call[];
  policies: readonly string[];
  begin: (memory: Memory) => Promise<void>;
  /** Whether a backend has the section. */
  has: (memory: Memory) => boolean;
  /** Whether the next call can use the same memory, with its files as they were. What calls leave in a history stays. */
  reuses: boolean;
}

const everywhere = { begin: writeBeginning, has: () => true, reuses: true };
const ofHistory = ["none", "append", "read", "ask", "read below", "guard refuses"];
const onlySome = {
  history: { begin: recordedBeginning, has: (memory: Memory) => memory.history !== null, reuses: false },
  proposals: { begin: writeBeginning, has: (memory: Memory) => Boolean(memory.proposals), reuses: false },
};

const sections: Section[] = [
  { title: "Reads", calls: readCalls, policies: ["none", "read"], ...everywhere },
  { title: "Changes", calls: changeCalls, policies: Object.keys(policies), ...everywhere },
  { title: "Odd changes", calls: oddCalls, policies: ["none", "append", "guard rewrites"], ...everywhere },
  { title: "History", calls: historyCalls, policies: ofHistory, ...onlySome.history },
  { title: "Proposals", calls: proposalCalls, policies: ["none", "read", "guard rewrites"], ...onlySome.proposals },
];

/** Short forms of long texts that occur often in the table. */
const shortForms = {
  "<in no run>":
    'this call is part of no run with a checkpointer: give the graph one, or set onAsk: "propose"; programs use the memory of the store itself',
  "<no proposals>": 'proposals are kept in a MongoMemoryStore only: use one, or set onAsk: "interrupt"',
  "<proposed>": "EACCES: the change is not made yet: it is proposed, and a person decides about it (proposal ID)",
  "<must be asked>": 'is changed only if a person approves (access "ask")',
  "<new file>": '{"kind":"file","sizeBytes":1,"createdAt":"time","updatedAt":"time"}',
};

async function writeBeginning(memory: Memory): Promise<void> {
  for (const [path, content] of Object.entries(beginning)) {
    await memory.write(path, content);
  }
}

/** Returns the answers of every call under every policy on every backend. Equal rows are written once. */
export async function verbTable(backends: Backends): Promise<string> {
  const parts = Object.entries(shortForms).map(([short, text]) => `${short} = ${text}`);
  for (const section of sections) parts.push(`\n# ${section.title}`, await shownSection(section, backends));
  return `${parts.join("\n")}\n`;
}

async function shownSection({ calls, has, policies: names, ...section }: Section, all: Backends): Promise<string> {
  const backends = all.filter(([, open]) => has(open(freshAddress())));
  const answers = await Promise.all(
    names.map((policy) => Promise.all(backends.map(([, open]) => collectAnswers({ calls, ...section }, policy, open)))),
  );
  const rows = calls.map(({ title, path }, index): [string, string] => {
    const byPolicy = names.map((policy, row): [string, string] => {
      const ofBackends = backends.map(([name], column): [string, string] => [
        name,
        answers[row]?.[column]?.[index] ?? "",
      ]);
      return [policy, shownBackends(ofBackends)];
    });
    const text = shownPolicies(byPolicy);
    return [title, path === undefined ? text : text.replaceAll(path, "PATH")];
  });
  return Array.from(namesByText(rows), ([text, titles]) => `\n${titles.join("\n")}\n${text}`).join("\n");
}

/** Collects the answers of the calls, one after the other. Each call gets a memory in its initial state. */
async function collectAnswers(
  { calls, begin, reuses }: Pick<Section, "calls" | "begin" | "reuses">,
  policy: string,
  open: Open,
): Promise<string[]> {
  const answers: string[] = [];
  let bench: (Bench & { before: Contents }) | null = null;
  for (const { run, reads = false } of calls) {
    bench ??= await newBench(policy, open, begin);
    const { before, free, versions } = bench;
    const answer = await recordAnswer(() => bench && run(bench), versions);
    const after = await readContents(free);
    const difference = describeDifference(before, after);
    answers.push(difference === "" ? answer : `${answer} | ${difference}`);
    if (reuses) await restore(free, before, after);
    else if (!reads || difference !== "") bench = null;
  }
  return answers;
}

/** Restores the files: fewer calls than to write all of them into a new memory. */
async function restore(free: Memory, before: Contents, after: Contents): Promise<void> {
  // From the top down, so that what is below a new directory is gone already.
  for (const path of after.keys()) if (!before.has(path)) await free.delete(path).catch(() => undefined);
  for (const [path, content] of before)
    if (content !== null && after.get(path) !== content) await free.write(path, content);
}

async function newBench(policy: string, open: Open, begin: Section["begin"]): Promise<Bench & { before: Contents }> {
  const free = open(freshAddress(), { paths: "plain", maxFileBytes, timeoutMs: Infinity });
  await begin(free);
  const memory = policies[policy]?.(free) ?? free;
  return { free, memory, versions: await listVersions(free), before: await readContents(free) };
}

/** Lists the versions, oldest first. */
async function listVersions({ history }: Memory): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of history?.list() ?? []) ids.unshift(id);
  return ids;
}

/** Returns one line if all policies have the same answer. */
function shownPolicies(answers: readonly [policy: string, text: string][]): string {
  return Array.from(namesByText(answers), ([text, names]) =>
    names.length === answers.length ? `  ${text}` : `  [${names.join(", ")}] ${text}`,
  ).join("\n");
}

/** Returns the answer of most backends, followed by the answers of the others. */
function shownBackends(answers: readonly [backend: string, text: string][]): string {
  const groups = [...namesByText(answers)];
  const most = Math.max(...groups.map(([, names]) => names.length));
  const usual = groups.find(([, names]) => names.length === most)?.[0] ?? "";
  const others = groups.filter(([text]) => text !== usual).map(([text, names]) => `      ${names.join("; ")}: ${text}`);
  return [usual, ...others].map(shortened).join("\n");
}

function shortened(text: string): string {
  return Object.entries(shortForms).reduce((shorter, [short, long]) => shorter.replaceAll(long, short), text);
}

function namesByText(pairs: readonly [name: string, text: string][]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, text] of pairs) groups.set(text, [...(groups.get(text) ?? []), name]);
  return groups;
}
