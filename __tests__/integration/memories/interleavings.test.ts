import { describe, expect, it } from "@jest/globals";
import { MongoMemoryStore, type Memory } from "../../../src/index.js";
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
import { outcomeOf } from "../../helpers/model-property.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { repetitions } from "../../helpers/repetitions.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName, db } = testDatabase("replicaSet");
const memories = db.collection("memories");
const slowClient = new SlowClient(client);

/** What the process of the first act knows of the memory. */
const knowledge = ["nothing", "everything", "less than there is", "more than there is"] as const;
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

/** Runs the first act, and the other one before its command of this number. Null if it has fewer commands. */
async function interleave(each: Case, at: number): Promise<Course | null> {
  const { history, known, one, other } = each;
  const { calm, slow } = findStores(each);
  const address = freshAddress();
  const [memory, slowMemory] = [calm.memory(address), slow.memory(address)];
  await fill.real(memory, calm);
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
  expect(findPageFaults(await readStoredPages(memories, address))).toEqual([]);
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

const cases = repetitions({ usual: 20, long: 300 });

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
