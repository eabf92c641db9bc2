import type { Memory, MemorySnapshot, MongoMemoryStore } from "../../src/index.js";
import { ModelMemory } from "./model-memory.js";
import { outcomeOf } from "./model-property.js";

/** Something that a process does with a memory, and what it does with a trivial one. */
export interface Act {
  label: string;
  real: (memory: Memory, store: MongoMemoryStore) => Promise<unknown>;
  model: (model: ModelMemory) => unknown;
  /** A second step. Another process may act before it. */
  modelAfter?: (model: ModelMemory) => unknown;
}

const text = "t".repeat(100);
const sizeOf = async (written: Promise<{ sizeBytes: number }>): Promise<number> => (await written).sizeBytes;

/** The memory before the acts. */
export const filesBefore = ["/a/one", "/a/two", "/a/three", "/b/c/y", "/b/x", "/m", "/z"] as const;

const put = (store: MongoMemoryStore, memory: Memory, paths: readonly string[]): Promise<unknown> =>
  store.batch(
    paths.map((key) => ({ namespace: ["memory", memory.address.nodeId, "global"], key, value: { content: text } })),
  );

function putAct(label: string, paths: readonly string[]): Act {
  return {
    label,
    real: async (memory, store) => void (await put(store, memory, paths)),
    model: (model) => paths.forEach((path) => model.write(path, text, "replace", "create")),
  };
}

export const fill = putAct("fill", filesBefore);

const renameAct = (path: string, to: string): Act => ({
  label: `rename ${path} to ${to}`,
  real: (memory) => memory.rename(path, to),
  model: (model) => model.rename(path, to),
});

const deleteAct = (path: string): Act => ({
  label: `delete ${path}`,
  real: (memory) => memory.delete(path),
  model: (model) => model.delete(path),
});

const appendAct = (path: string): Act => ({
  label: `append to ${path}`,
  real: (memory) => memory.append(path, text),
  model: (model) => model.append(path, text),
});

/** Acts that change a memory. Together they meet on directories, files and pages. */
export const changeActs: readonly Act[] = [
  appendAct("/a/one"),
  appendAct("/a/new/file"),
  appendAct("/n/o/p"),
  deleteAct("/a/two"),
  deleteAct("/a"),
  deleteAct("/"),
  deleteAct("/none"),
  renameAct("/a", "/d"),
  renameAct("/b/c", "/a/c"),
  renameAct("/z", "/b/z"),
  renameAct("/m", "/m1"),
  putAct("put several", ["/a/six", "/k", "/z", "/zz/1"]),
  {
    label: "write /m",
    real: (memory) => sizeOf(memory.write("/m", "short")),
    model: (model) => model.write("/m", "short", "replace", "create"),
  },
  {
    label: "create /b/x",
    real: (memory) => sizeOf(memory.write("/b/x", "short", { ifExists: "fail" })),
    model: (model) => model.write("/b/x", "short", "fail", "create"),
  },
  {
    label: "update /b/x",
    real: (memory) => memory.update("/b/x", "tt", "uuu"),
    model: (model) => model.update("/b/x", "tt", "uuu"),
  },
  {
    label: "edit /a/one",
    real: (memory) => sizeOf(memory.edit("/a/one", (old) => `${text}${old}`)),
    model: (model) => model.write("/a/one", text + model.read("/a/one"), "replace", "fail"),
  },
];

/** Acts that make another memory of it in one step of the other process. */
export const renewActs: readonly Act[] = [
  {
    label: "forget",
    real: async (memory, store) => void (await store.forget(memory.address)),
    model: (model) => model.reset(new Map(), []),
  },
  {
    label: "forget, and fill anew with less",
    real: async (memory, store) => {
      await store.forget(memory.address);
      await put(store, memory, ["/a/one", "/zz"]);
    },
    model: (model) => model.reset(new Map(), []),
    modelAfter: (model) => ["/a/one", "/zz"].forEach((path) => model.write(path, text, "replace", "create")),
  },
];

/** Acts that only read. */
export const readActs: readonly Act[] = [
  {
    label: "read /a/three",
    real: (memory) => memory.read("/a/three"),
    model: (model) => model.read("/a/three"),
  },
  {
    label: "list /a",
    real: (memory) => memory.list("/a"),
    model: (model) => model.list("/a"),
  },
  {
    label: "snapshot",
    real: async (memory) => describeSnapshot(await memory.snapshot()),
    model: describeModel,
  },
  {
    label: "outline",
    real: async (memory) => {
      const { files, directories } = await memory.outline();
      return { files: files.map(({ path, sizeBytes }) => [path, sizeBytes]), directories };
    },
    model: (model) => {
      const { files, directories } = describeModel(model);
      return { files: files.map(([path]) => [path, model.files.get(path)?.length]), directories };
    },
  },
];

/** Shortens a text so that people can compare it. Different texts stay different. */
function shorten([path, content]: readonly [string, string]): [string, string] {
  return [path, content.replaceAll(/(.)\1{9,}/g, (run) => `${run.charAt(0)} ${run.length} times, `)];
}

/** The files and directories of a snapshot, as `describeModel` has them. */
export function describeSnapshot({ files, directories }: MemorySnapshot): ReturnType<typeof describeModel> {
  return { files: files.map(({ path, content }) => shorten([path, content])), directories };
}

export function describeModel(model: ModelMemory): { files: [string, string][]; directories: string[] } {
  return {
    files: [...model.files].map(shorten).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    directories: [...model.directories].toSorted(),
  };
}

/** What both acts answer, and what is there afterwards. */
export interface Course {
  one: unknown;
  other: unknown;
  after: ReturnType<typeof describeModel>;
}

/** Returns the courses that the acts can take: one after the other, or one between the steps of the other. */
export async function findCourses(before: readonly Act[], one: Act, other: Act): Promise<Course[]> {
  const { modelAfter } = other;
  const run = async (place: "first" | "between" | "last"): Promise<Course> => {
    const model = new ModelMemory();
    for (const act of before) await outcomeOf(() => act.model(model));
    const runOne = (): Promise<unknown> => outcomeOf(() => changeOrNothing(model, one.model));
    const first = place === "first" ? await runOne() : undefined;
    const answer = await outcomeOf(() => changeOrNothing(model, other.model));
    const between = place === "between" ? await runOne() : undefined;
    const answerAfter = modelAfter && (await outcomeOf(() => changeOrNothing(model, modelAfter)));
    return {
      one: first ?? between ?? (await runOne()),
      other: answerAfter ?? answer,
      after: describeModel(model),
    };
  };
  return Promise.all([run("first"), run("last"), ...(modelAfter === undefined ? [] : [run("between")])]);
}

/** A refused command changes nothing, although the model may have changed a part. */
function changeOrNothing(model: ModelMemory, act: Act["model"]): unknown {
  const { files, directories } = model;
  const before = [new Map(files), [...directories]] as const;
  try {
    return act(model);
  } catch (error) {
    model.reset(...before);
    throw error;
  }
}
