import { describe, expect, it } from "@jest/globals";
import { createHash, randomUUID } from "node:crypto";
import { type MemoryHistory, type MemoryVersion, type Memory, MongoMemoryStore } from "../../../src/index.js";
import fc from "../../helpers/fast-check.js";
import { ModelMemory } from "../../helpers/model-memory.js";
import { outcomeOf, type Step, stepsOf } from "../../helpers/model-property.js";
import { describePlace, places, withPageBytes } from "../../helpers/page-sizes.js";
import { patched } from "../../helpers/patched.js";
import { readAll } from "../../helpers/read-all.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();

interface Tree {
  files: Map<string, string>;
  directories: Set<string>;
  /** The version that each text is of. */
  owners: Map<string, string>;
}

/** What is done between the commands: it names a former version by a number. */
type Act =
  | { kind: "command"; step: Step }
  | { kind: "revert"; to: number; path: string }
  | { kind: "redact"; which: number }
  | { kind: "flush" };

/** Few names, so that commands delete, move and replace what is there. */
const commands = stepsOf("posix", ["a", "a.b", "é"]).map((step): Act => ({ kind: "command", step }));

const weightedActs: fc.WeightedArbitrary<Act>[] = [
  { weight: 12, arbitrary: commands },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("revert" as const),
      to: fc.nat(),
      path: fc.constantFrom("/", "/a", "/a.b", "/é/a"),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "flush" as const }) },
];

const redaction: fc.Arbitrary<Act> = fc.record({ kind: fc.constant("redact" as const), which: fc.nat() });

const createFile = (path: string): Step => ({
  label: `append ${path}`,
  real: (memory) => memory.append(path, "x\n"),
  model: (model) => model.append(path, "x\n"),
});
const deleteFile = (path: string): Step => ({
  label: `delete ${path}`,
  real: (memory) => memory.delete(path),
  model: (model) => model.delete(path, "delete"),
});

/** So that there are directories, an empty one too, and pages from the first act on. */
const filling = [...["/a/a/a", "/a/a.b", "/a.b", "/é/a/é", "/é/é/a"].map(createFile), deleteFile("/é/é/a")].map(
  (step): Act => ({ kind: "command", step }),
);

const sequencesOf = (acts: fc.Arbitrary<Act>): fc.Arbitrary<Act[]> =>
  fc.array(acts, { minLength: 20, maxLength: 40, size: "max" }).map((sequence) => [...filling, ...sequence]);

/** Half of them redact nothing, because only then is each earlier tree known with all its directories. */
const sequences = fc
  .constantFrom(weightedActs, [...weightedActs, { weight: 2, arbitrary: redaction }])
  .chain((acts) => sequencesOf(fc.oneof(...acts)));

/** A memory with its history, and every tree that it was. */
class Recorded {
  readonly trees = new Map<string, Tree>();
  readonly redacted = new Set<string>();
  readonly memory: Memory;
  readonly history: MemoryHistory;
  #present: Tree;

  private constructor(memory: Memory, history: MemoryHistory) {
    this.memory = memory;
    this.history = history;
    this.#present = { files: new Map(), directories: new Set(), owners: new Map() };
  }

  static async open(store: MongoMemoryStore): Promise<Recorded> {
    const memory = store.memory({ nodeId: randomUUID() });
    if (memory.history === null) throw new Error("no history");
    return new Recorded(memory, memory.history);
  }

  /** To redact moves all versions out of the document. */
  async flush(): Promise<void> {
    await this.history.redact({ text: "no such text" });
  }

  /** Takes note of the tree after a change. */
  async note(): Promise<void> {
    const { files, directories } = await this.memory.snapshot();
    const last = [...this.trees.keys()].at(-1);
    const fresh: MemoryVersion[] = [];
    for await (const version of this.history.list()) {
      if (version.id === last) break;
      fresh.unshift(version);
    }
    const owners = new Map(this.#present.owners);
    for (const { operation, path, from, id } of fresh) {
      if (operation === "deleted") owners.delete(path);
      else owners.delete(from ?? "").valueOf();
      if (operation !== "deleted") owners.set(path, id);
    }
    this.#present = {
      files: new Map(files.map(({ path, content }) => [path, content])),
      directories: new Set(directories),
      owners,
    };
    expect([...owners.keys()].toSorted()).toEqual([...this.#present.files.keys()].toSorted());
    const newest = fresh.at(-1);
    if (newest !== undefined) this.trees.set(newest.id, this.#present);
  }

  get present(): Tree {
    return this.#present;
  }
}

async function carryOut(act: Act, recorded: Recorded, model: ModelMemory): Promise<void> {
  const { memory, history, trees, redacted } = recorded;
  const ids = [...trees.keys()];
  if (act.kind === "flush") return recorded.flush();
  if (act.kind === "command") {
    const { step } = act;
    expect([step.label, await outcomeOf(() => step.real(memory))]).toEqual([
      step.label,
      await outcomeOf(() => step.model(model)),
    ]);
    return recorded.note();
  }
  if (act.kind === "redact") {
    const versions = await readAll(history.list());
    const version = versions[act.which % Math.max(versions.length, 1)];
    if (version === undefined || version.path === "") return;
    const { path } = version;
    expect(await outcomeOf(() => history.redact({ path }))).toEqual(
      recorded.present.directories.has(path) ? { code: "EISDIR" } : { value: expect.any(Number) },
    );
    const all = (await readAll(history.list())).filter(({ redactedAt }) => redactedAt !== undefined);
    expect(await readAll(history.list({ redacted: true }))).toEqual(all);
    for (const { id } of all) redacted.add(id);
    return;
  }
  const id = ids[act.to % Math.max(ids.length, 1)];
  const tree = id === undefined ? undefined : trees.get(id);
  if (id === undefined || tree === undefined) return;
  const isHidden = [...tree.owners.values()].some((owner) => redacted.has(owner));
  const outcome = await outcomeOf(() => history.revert({ path: act.path, to: id }));
  await recorded.note();
  const { files, directories } = recorded.present;
  if (act.path === "/" && !isHidden)
    expect({ outcome, files, directories }).toEqual({
      outcome: { value: expect.anything() },
      files: tree.files,
      directories: tree.directories,
    });
  model.reset(files, directories);
}

async function assertHistory({ memory, history, trees, redacted, present }: Recorded): Promise<void> {
  for (const [id, { files, directories, owners }] of trees) {
    const found = await history.at(id);
    const readable = [...files].filter(([path]) => !redacted.has(owners.get(path) ?? ""));
    expect({ id, files: new Map(found.files.map(({ path, content }) => [path, content])) }).toEqual({
      id,
      files: new Map(readable),
    });
    if (redacted.size === 0) expect({ id, directories: new Set(found.directories) }).toEqual({ id, directories });
    // A redaction can hide directories, but it adds none.
    expect([id, found.directories.filter((path) => !directories.has(path))]).toEqual([id, []]);
    for (const [path, text] of readable) expect((await history.read(owners.get(path) ?? "")).content).toBe(text);
  }
  const versions = await readAll(history.list());
  const texts = await Promise.all(versions.map(({ id }) => history.read(id)));
  for (const { content, sizeBytes, sha256, redactedAt } of texts) {
    expect([sizeBytes, sha256]).toEqual(
      content === null || redactedAt
        ? [null, null]
        : [Buffer.byteLength(content), createHash("sha256").update(content).digest("hex")],
    );
  }
  for (const [index, { id, content, redactedAt }] of texts.entries()) {
    const other = texts[(index * 7 + 3) % texts.length];
    if (redactedAt || other === undefined || other.redactedAt) continue;
    expect(patched(folder, content ?? "", await history.diff(id, other.id))).toBe(other.content ?? "");
  }
  for (const [path, text] of present.files) {
    const lines = await history.blame(path);
    const expected = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text === "" ? [] : text.split("\n");
    expect(lines.map((line) => line.text)).toEqual(expected);
    for (const { text: line, version } of lines) {
      if (version !== null && !redacted.has(version.id))
        expect((await history.read(version.id)).content?.split("\n")).toContain(line);
    }
  }
  expect((await memory.snapshot()).files).toHaveLength(present.files.size);
}

describe.each(places.map((place) => [describePlace(place), place] as const))("a history, %s", (_, place) => {
  const [kind, pageBytes] = place;
  const { client, name: dbName } = testDatabase(kind);
  const numRuns = repetitions({ usual: 1, long: 10 });

  it("agrees with a list of all trees, whatever is changed, reverted and redacted", async () => {
    const store = new MongoMemoryStore({ client, dbName, history: true, ...withPageBytes(pageBytes) });
    const property = fc.asyncProperty(sequences, async (sequence) => {
      const recorded = await Recorded.open(store);
      const model = new ModelMemory();
      for (const act of sequence) await carryOut(act, recorded, model);
      await assertHistory(recorded);
    });
    await fc.assert(property, { numRuns, endOnFailure: false });
  });

  it("knows a tree exactly or says that it does not, where versions are not kept for ever", async () => {
    const store = new MongoMemoryStore({
      client,
      dbName,
      memoriesCollection: "short",
      history: { keepVersions: 2 },
      ...withPageBytes(pageBytes),
    });
    const changes = sequencesOf(fc.oneof({ weight: 4, arbitrary: commands }, fc.constant<Act>({ kind: "flush" })));
    const property = fc.asyncProperty(changes, async (sequence) => {
      const recorded = await Recorded.open(store);
      const model = new ModelMemory();
      for (const act of sequence) await carryOut(act, recorded, model);
      for (const [id, { files }] of recorded.trees) {
        const outcome = await outcomeOf(() => recorded.history.at(id));
        if ("code" in (outcome as object)) expect(outcome).toEqual({ code: "ENOENT" });
        else
          expect(
            new Map(
              (outcome as { value: { files: { path: string; content: string }[] } }).value.files.map(
                ({ path, content }) => [path, content],
              ),
            ),
          ).toEqual(files);
      }
    });
    await fc.assert(property, { numRuns, endOnFailure: false });
  });
});
