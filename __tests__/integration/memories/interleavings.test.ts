import { describe, expect, it } from "@jest/globals";
import { type Document, ObjectId } from "mongodb";
import { type MemoryAddress, MongoMemoryStore, type Memory } from "../../../src/index.js";
import { createAddress } from "../../helpers/addresses.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { type NextCommand, SlowClient } from "../../helpers/before-commands.js";
import {
  type Act,
  changeActs,
  type Course,
  describeSnapshot,
  fill,
  filesBefore,
  findCourses,
  readActs,
  renewActs,
} from "../../helpers/interleaving.js";
import { ModelMemory } from "../../helpers/model-memory.js";
import { outcomeOf } from "../../helpers/model-property.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { repetitions } from "../../helpers/repetitions.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName, db } = testDatabase("replicaSet");
const memories = db.collection("memories");
const slowClient = new SlowClient(client);

/** What the process of the first act knows of the memory, or of which release the memory is. */
const knowledge = [
  "nothing",
  "everything",
  "less than there is",
  "more than there is",
  "a head of an earlier release",
  "nested fields",
] as const;
type Knowledge = (typeof knowledge)[number];

interface Case {
  pageBytes: number | undefined;
  history: boolean;
  known: Knowledge;
  one: Act;
  other: Act;
}

const grow: Act = {
  label: "grow",
  real: async (memory) => {
    for (const path of ["/a/five", "/b/b", "/l"]) await memory.write(path, "g".repeat(150));
  },
  model: (model) =>
    ["/a/five", "/b/b", "/l"].forEach((path) => model.write(path, "g".repeat(150), "replace", "create")),
};

const shrink: Act = {
  label: "shrink",
  real: async (memory) => {
    for (const path of ["/a/two", "/b/c", "/m"]) await memory.delete(path);
  },
  model: (model) => ["/a/two", "/b/c", "/m"].forEach((path) => model.delete(path)),
};

function* listCases(): Generator<Case> {
  for (const pageBytes of [200, 1_000, undefined])
    for (const history of [false, true])
      for (const known of knowledge)
        for (const one of [...changeActs, ...readActs])
          for (const other of [...changeActs, ...renewActs]) yield { pageBytes, history, known, one, other };
}

/** Selects so many cases that are spread over all. */
function selectCases(count: number): Case[] {
  const all = [...listCases()];
  // A prime that divides no length of a list, so that the values of all lists are met.
  return Array.from({ length: count }, (_, index) => all[(index * 1_009 + Date.now()) % all.length]).filter(
    (each) => each !== undefined,
  );
}

type Stores = Record<"calm" | "slow", MongoMemoryStore>;

const stores = new Map<string, Stores>();

/** Two processes. The way of the slow one to the server is long. */
function findStores({ pageBytes, history }: Case): Stores {
  const key = JSON.stringify([pageBytes, history]);
  const options = { dbName, history, ...withPageBytes(pageBytes) };
  const found = stores.get(key) ?? {
    calm: new MongoMemoryStore({ client, ...options }),
    slow: new MongoMemoryStore({ client: slowClient.client, ...options }),
  };
  stores.set(key, found);
  return found;
}

/** The memory before the acts, as earlier releases have stored it. */
function createEarlierHead(address: MemoryAddress, form: "a head of an earlier release" | "nested fields"): Document {
  const model = new ModelMemory();
  fill.model(model);
  const times = { createdAt: new Date(), updatedAt: new Date() };
  const head = { _id: new ObjectId(), ...createAddress(address.nodeId, "global", ""), ...times };
  if (form === "nested fields") return { ...head, data: nestTexts(model.files) };
  const toKey = (path: string): string => path.slice(1).replaceAll("/", ".");
  const data = Object.fromEntries(Array.from(model.files, ([path, content]) => [toKey(path), content]));
  const dirs = Object.fromEntries(Array.from(model.directories, (path) => [toKey(path), true]));
  const meta = Object.fromEntries(Object.keys(data).map((key) => [key, times]));
  return { ...head, data, dirs, meta, revision: 3 };
}

function nestTexts(files: ReadonlyMap<string, string>): Document {
  const root: Document = {};
  for (const [path, content] of files) {
    const segments = path.slice(1).split("/");
    const name = segments.pop() ?? "";
    const directory = segments.reduce<Document>((at, segment) => (at[segment] ??= {}) as Document, root);
    directory[name] = content;
  }
  return root;
}

/** Runs the first act, and the other one before its command of this number. Null if it has fewer commands. */
async function interleave(each: Case, at: number): Promise<Course | null> {
  const { history, known, one, other } = each;
  const { calm, slow } = findStores(each);
  const address = freshAddress();
  const [memory, slowMemory] = [calm.memory(address), slow.memory(address)];
  if (known === "a head of an earlier release" || known === "nested fields")
    await memories.insertOne(createEarlierHead(address, known));
  else await fill.real(memory, calm);
  if (known !== "nothing") await slowMemory.snapshot();
  if (known === "less than there is") await grow.real(memory, calm);
  if (known === "more than there is") await shrink.real(memory, calm);
  let sent = 0;
  let otherOutcome: Promise<unknown> = Promise.resolve(null);
  const beforeCommand = async ({ hasLocks }: NextCommand): Promise<void> => {
    if ((sent += 1) !== at) return;
    otherOutcome = outcomeOf(() => other.real(memory, calm));
    if (!hasLocks) await otherOutcome;
  };
  const oneOutcome = await slowClient.run(beforeCommand, () => outcomeOf(() => one.real(slowMemory, slow)));
  if (sent < at) return null;
  const course = { one: oneOutcome, other: await otherOutcome, after: describeSnapshot(await memory.snapshot()) };
  expect(describeSnapshot(await slowMemory.snapshot())).toEqual(course.after);
  const stored = await readStoredPages(memories, address);
  // A document of the earlier system stays as it is until it is changed.
  if (stored[0]?.revision !== undefined) expect(findPageFaults(stored)).toEqual([]);
  if (history) await expectHistoryOf(slowMemory, course.after);
  return course;
}

/** The history must end in the present tree. */
async function expectHistoryOf(memory: Memory, after: Course["after"]): Promise<void> {
  for await (const { id } of memory.history?.list() ?? []) {
    const tree = await memory.history?.at(id);
    expect(tree && describeSnapshot({ ...tree, revision: 0 }).files).toEqual(after.files);
    return;
  }
}

const cases = repetitions({ usual: 20, long: 1_500 });

describe("two calls of two processes", () => {
  it(`have an order that explains what they answer and leave, wherever one comes between two commands of the other`, async () => {
    expect(filesBefore.length).toBeGreaterThan(6);
    let checked = 0;
    for (const each of selectCases(cases)) {
      const { known, one, other } = each;
      const before = [
        fill,
        ...(known === "less than there is" ? [grow] : []),
        ...(known === "more than there is" ? [shrink] : []),
      ];
      const courses = await findCourses(before, one, other);
      for (let at = 1; ; at += 1) {
        const course = await interleave(each, at).catch((error: unknown) => ({ error }));
        if (course === null) break;
        checked += 1;
        const described = { ...each, one: one.label, other: other.label, at };
        expect(
          courses.some((possible) => isEqual(possible, course)) ? described : { ...described, course, courses },
        ).toEqual(described);
      }
    }
    expect(checked).toBeGreaterThan(cases);
  });
});

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
