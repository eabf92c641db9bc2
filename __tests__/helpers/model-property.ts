import { it } from "@jest/globals";
import { deepEqual } from "node:assert/strict";
import { type Memory, type PathRule, mountMemories } from "../../src/index.js";
import type { OpenMemory } from "../../src/testing/memory-case.js";
import fc from "./fast-check.js";
import { openFresh } from "./memory-case.js";
import { ModelMemory } from "./model-memory.js";
import { ModelTree } from "./model-tree.js";

export interface Step {
  label: string;
  real: (memory: Memory) => Promise<unknown>;
  model: (model: Model) => unknown;
}

type Model = Pick<ModelMemory, "append" | "delete" | "list" | "read" | "rename" | "stat" | "update" | "write">;

const names: Record<PathRule, string[]> = {
  plain: ["a", "b", "a b", "__proto__", "_bsontype", "a-", "ab"],
  posix: ["a", "a.b", "$a", "%2E", "é", "🧠", "__proto__", "_bsontype", "a b", ".a"],
};
const texts = ["", "\n", "x", "xx", "\nx", "x\n", "é\n🧠", "$x", "a.b", "x\nx\nx", "$$ROOT"];

/** @param segments the names in paths. Of few names, most commands meet a file or a directory */
export function stepsOf(rule: PathRule, segments: readonly string[] = names[rule]): fc.Arbitrary<Step> {
  const path = fc
    .array(fc.constantFrom(...segments), { minLength: 0, maxLength: 3 })
    .map((parts) => `/${parts.join("/")}`);
  const text = fc.constantFrom(...texts);
  const step = <T>(values: fc.Arbitrary<T>, make: (value: T) => Step): fc.Arbitrary<Step> => values.map(make);
  return fc.oneof(
    {
      weight: 3,
      arbitrary: step(fc.tuple(path, text), ([p, t]) => ({
        label: `append ${p} ${JSON.stringify(t)}`,
        real: (memory) => memory.append(p, t),
        model: (model) => model.append(p, t),
      })),
    },
    step(path, (p) => ({ label: `read ${p}`, real: (memory) => memory.read(p), model: (model) => model.read(p) })),
    step(path, (p) => ({ label: `list ${p}`, real: (memory) => memory.list(p), model: (model) => model.list(p) })),
    step(fc.tuple(path, text, text), ([p, o, t]) => ({
      label: `update ${p} ${JSON.stringify([o, t])}`,
      real: (memory) => memory.update(p, o, t),
      model: (model) => model.update(p, o, t),
    })),
    step(fc.tuple(path, fc.constantFrom("delete" as const, "fail" as const)), ([p, ifDirectory]) => ({
      label: `delete ${p} ${ifDirectory}`,
      real: (memory) => memory.delete(p, { ifDirectory }),
      model: (model) => model.delete(p, ifDirectory),
    })),
    step(
      fc.tuple(
        path,
        text,
        fc.constantFrom("replace" as const, "fail" as const),
        fc.constantFrom("create" as const, "fail" as const),
      ),
      ([p, t, ifExists, ifMissing]) => ({
        label: `write ${p} ${JSON.stringify([t, ifExists, ifMissing])}`,
        real: async (memory) => (await memory.write(p, t, { ifExists, ifMissing })).sizeBytes,
        model: (model) => model.write(p, t, ifExists, ifMissing),
      }),
    ),
    step(fc.tuple(path, text), ([p, t]) => ({
      label: `edit ${p} ${JSON.stringify(t)}`,
      real: async (memory) => (await memory.edit(p, (old) => t + old)).sizeBytes,
      model: (model) => model.write(p, t + model.read(p), "replace", "fail"),
    })),
    {
      weight: 2,
      arbitrary: step(fc.tuple(path, path), ([from, to]) => ({
        label: `rename ${from} ${to}`,
        real: (memory) => memory.rename(from, to),
        model: (model) => model.rename(from, to),
      })),
    },
    step(path, (p) => ({
      label: `stat ${p}`,
      real: async (memory) => {
        const stat = await memory.stat(p);
        return stat && { kind: stat.kind, sizeBytes: stat.sizeBytes };
      },
      model: (model) => model.stat(p),
    })),
  );
}

export async function outcomeOf(run: () => unknown): Promise<unknown> {
  try {
    return { value: (await run()) ?? null };
  } catch (error) {
    return { code: (error as { code?: string }).code ?? error };
  }
}

/** Checks random sequences of commands: their answers and the memory must agree with the trivial model. */
export function defineModelProperty(open: OpenMemory, numRuns: number): void {
  for (const rule of ["plain", "posix"] as const) {
    it(`any sequence of commands agrees with the trivial model, by the rule ${rule}`, async () => {
      const property = fc.asyncProperty(fc.array(stepsOf(rule), { minLength: 5, maxLength: 30 }), async (steps) => {
        const memory = await openFresh(open, { paths: rule });
        const model = new ModelMemory();
        for (const { label, real, model: expected } of steps) {
          deepEqual(await outcomeOf(() => real(memory)), await outcomeOf(() => expected(model)), label);
        }
        const { files, directories } = await memory.snapshot();
        deepEqual(new Map(files.map(({ path, content }) => [path, content])), model.files);
        deepEqual(new Set(directories), model.directories);
      });
      await fc.assert(property, { numRuns, endOnFailure: false });
    });
  }
}

/**
 * Checks random sequences of commands on random trees of mounts. Some memories contain entries that a mount point covers.
 * @param open opens a memory, alternately on several backends
 */
export function defineMountProperty(open: OpenMemory, numRuns: number): void {
  it("any sequence of commands on any tree of mounts agrees with the trivial model", async () => {
    const path = fc
      .array(fc.constantFrom(...names.plain), { minLength: 1, maxLength: 3 })
      .map((segments) => `/${segments.join("/")}`);
    const points = fc.uniqueArray(path, { maxLength: 3 }).map((others) => ["/", ...others]);
    const before = fc.array(fc.tuple(path, fc.constantFrom(...texts)), { maxLength: 6 });
    const steps = fc.array(stepsOf("plain"), { minLength: 5, maxLength: 30 });
    const property = fc.asyncProperty(points, before, steps, async (mountPoints, files, commands) => {
      const memories = await Promise.all(mountPoints.map(async (point) => [point, await openFresh(open)] as const));
      const models = new Map(mountPoints.map((point) => [point, new ModelMemory()]));
      for (const [index, [file, text]] of files.entries()) {
        const [point, memory] = memories[index % memories.length] ?? [];
        // The path may already be a directory, or may be below another file.
        const write = async (): Promise<void> => memory?.append(file, text);
        await outcomeOf(write);
        await outcomeOf(() => models.get(point ?? "")?.append(file, text));
      }
      const tree = mountMemories(Object.fromEntries(memories));
      const model = new ModelTree(models);
      for (const { label, real, model: expected } of commands) {
        deepEqual(await outcomeOf(() => real(tree)), await outcomeOf(() => expected(model)), label);
      }
      const { files: found, directories } = await tree.snapshot();
      deepEqual(new Map(found.map((file) => [file.path, file.content])), model.files);
      deepEqual(new Set(directories), model.directories);
      deepEqual(
        (await tree.outline()).files.map((file) => file.path),
        found.map((file) => file.path),
      );
    });
    await fc.assert(property, { numRuns, endOnFailure: false });
  });
}
