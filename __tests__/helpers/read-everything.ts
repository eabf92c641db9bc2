import type { MemoryBackend, MemoryTree } from "../../src/custom-backend/index.js";
import { MemoryError } from "../../src/index.js";
import { createUnlimitedCall } from "../../src/core/runtime/call.js";
import { compareCodeUnits } from "../../src/core/values/text.js";

const call = createUnlimitedCall();
const outlineOptions = { maxContentBytes: 300, leadChars: 3, maxPathChars: Infinity };

/** Reads a memory that other processes change too. Remembers what a search would remember. */
export class MemoryReader {
  readonly #memory: MemoryBackend;
  readonly #texts = new Map<string, { version: string; content: string }>();
  #version: string | null = null;
  #revision = 0;

  constructor(memory: MemoryBackend) {
    this.#memory = memory;
  }

  /** Everything that the memory answers, in the form of `describeTree`. */
  async read(path: string): Promise<object> {
    const { files, directories, revision } = await this.#memory.snapshot(call);
    const outline = await this.#memory.outline(outlineOptions, call);
    return {
      text: await getOutcome(() => this.#memory.read(path, call)),
      list: await getOutcome(async () => sortByName(await this.#memory.list(path, call))),
      stat: await this.#memory.stat(path, call),
      snapshot: describe({ files, directories }),
      outline: describe(outline),
      changed: await this.#readChanged(),
      version: await this.#compareVersion(revision ?? 0),
    };
  }

  async #readChanged(): Promise<object> {
    const known = new Map(Array.from(this.#texts, ([path, { version }]) => [path, version]));
    const since = await this.#memory.features?.snapshotSince?.(known, call);
    const files = (since?.files ?? []).map(({ path, version, content }): [string, string | undefined] => {
      const before = this.#texts.get(path);
      const text = content ?? (before?.version === version ? before?.content : undefined);
      if (version !== null && text !== undefined) this.#texts.set(path, { version, content: text });
      return [path, text];
    });
    return { files: sortTexts(files), directories: (since?.directories ?? []).toSorted(compareCodeUnits) };
  }

  /** A version must change when the revision does, which must never fall. */
  async #compareVersion(revision: number): Promise<string> {
    const version = (await this.#memory.features?.version?.(call)) ?? null;
    const [isSameVersion, isSame] = [version === this.#version, revision === this.#revision];
    const hasFallen = revision < this.#revision;
    this.#version = version;
    this.#revision = revision;
    return isSameVersion === isSame && !hasFallen ? "as it should be" : `${version} at revision ${revision}`;
  }
}

/** What a memory with this tree must answer. */
export async function describeTree(tree: MemoryTree, path: string): Promise<object> {
  const { files, directories } = tree.snapshot();
  return {
    text: await getOutcome(() => tree.file(path).content),
    list: await getOutcome(() => sortByName(tree.list(path))),
    stat: tree.stat(path),
    snapshot: describe({ files, directories }),
    outline: describe(tree.outline(outlineOptions)),
    changed: {
      files: sortTexts(files.map((file) => [file.path, file.content])),
      directories: directories.toSorted(compareCodeUnits),
    },
    version: "as it should be",
  };
}

function describe({
  files,
  directories,
}: {
  files: readonly { path: string; lead?: string }[];
  directories: string[];
}) {
  return {
    files: files
      .map((file) => (file.lead === undefined ? file : { ...file, lead: file.lead.slice(0, outlineOptions.leadChars) }))
      .toSorted((a, b) => compareCodeUnits(a.path, b.path)),
    directories: directories.toSorted(compareCodeUnits),
  };
}

const sortByName = <Entry extends { name: string }>(entries: readonly Entry[]): Entry[] =>
  entries.toSorted((a, b) => compareCodeUnits(a.name, b.name));

const sortTexts = (texts: readonly [string, string | undefined][]): readonly unknown[] =>
  texts.toSorted(([a], [b]) => compareCodeUnits(a, b));

async function getOutcome(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    return { code: error.code };
  }
}
