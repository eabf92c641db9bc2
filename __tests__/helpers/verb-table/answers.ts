import { type Memory, MemoryError } from "../../../src/index.js";

/** Words that replace values which differ between runs. */
const words: Record<string, (value: unknown) => unknown> = {
  createdAt: timeWord,
  updatedAt: timeWord,
  at: timeWord,
  decidedAt: timeWord,
  redactedAt: timeWord,
  sha256: (value) => (value === null ? null : "hash"),
  base: () => "hash",
  revision: (value) => (value === null ? null : "number"),
  score: (value) => Number(Number(value).toPrecision(3)),
};

function timeWord(value: unknown): unknown {
  return value instanceof Date ? "time" : value;
}

/** @param versions the ids that the memory had before the call, oldest first */
export async function recordAnswer(run: () => unknown, versions: readonly string[]): Promise<string> {
  try {
    const answer = await run();
    return shown(isStream(answer) ? await itemsIn(answer) : answer, versions);
  } catch (error) {
    return withoutIds(refusal(error));
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function itemsIn(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

function shown(value: unknown, versions: readonly string[]): string {
  // A replacer gets dates as texts, so dates are replaced before.
  const plain = (each: unknown, key = ""): unknown => {
    if (key === "id") return versionWord(String(each), versions);
    const word = words[key];
    if (word !== undefined) return word(each);
    if (Array.isArray(each)) return each.map((item) => plain(item));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, field]) => [name, plain(field, name)]));
  };
  return value === undefined ? "done" : withoutIds(JSON.stringify(plain(value)));
}

function versionWord(id: string, versions: readonly string[]): string {
  const index = versions.indexOf(id);
  return index === -1 ? "ID" : `version ${index + 1}`;
}

function refusal(error: unknown): string {
  if (!MemoryError.isInstance(error)) return String(error);
  const code = error.message.startsWith(`${error.code}: `) ? "" : `${error.code}: `;
  return `${code}${error.message}${error.path === undefined ? "" : ` path=${error.path}`}`;
}

/** Replaces ids of proposals, and times. */
function withoutIds(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{24,64}\b/g, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
}

/** The contents of a memory: texts by path, and `null` for a directory. */
export type Contents = ReadonlyMap<string, string | null>;

export async function readContents(memory: Memory): Promise<Contents> {
  const { files, directories } = await memory.snapshot();
  return new Map<string, string | null>([
    ...directories.map((path): [string, null] => [`${path}/`, null]),
    ...files.map(({ path, content }): [string, string] => [path, content]),
  ]);
}

/** Describes the entries that were removed, added or changed. */
export function describeDifference(before: Contents, after: Contents): string {
  const gone = [...before.keys()].filter((path) => !after.has(path)).map((path) => `-${path}`);
  const changed = [...after]
    .filter(([path, content]) => !before.has(path) || before.get(path) !== content)
    .map(([path, content]) => `+${path}${content === null ? "" : ` ${JSON.stringify(content)}`}`);
  return [...gone.toSorted(), ...changed.toSorted()].join(", ");
}
