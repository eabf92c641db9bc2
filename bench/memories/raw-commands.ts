import type { Collection, WithId } from "mongodb";
import type { Commands } from "./commands.js";
import { addition, type BenchDocument, type Fixture, text, turnOf } from "./fixture.js";

type Expression = string | number | boolean | Date | Expression[] | { [operator: string]: unknown };

interface Entry {
  key: string;
  sizeBytes: number;
}

const literal = (value: unknown): Expression => ({ $literal: value });
const field = (record: string, key: string): Expression => ({ $getField: { field: literal(key), input: record } });
const withField = (record: string, key: string, value: Expression): Expression => ({
  $setField: { field: literal(key), input: record, value },
});
const withoutField = (record: string, key: string): Expression => ({
  $unsetField: { field: literal(key), input: record },
});

/**
 * The same work by hand: one command each for the same layout (times of the file, parents, revision), the shortest that
 * was found. It trusts its arguments, knows no limits, checks neither for directories nor for the earlier layout.
 */
export function rawCommands(collection: Collection<BenchDocument>, nodeId: string, fixture: Fixture): Commands {
  const filter = { nodeId, scope: "global" as const };
  const turn = (iteration: number) => turnOf(fixture, iteration);
  return {
    append: async (iteration) => {
      const { key } = turn(iteration);
      const old: Expression = { $ifNull: [field("$data", key), ""] };
      const last: Expression = { $max: [0, { $subtract: [{ $strLenBytes: old }, 1] }] };
      const joined: Expression = { $or: [{ $eq: [old, ""] }, { $gte: [{ $indexOfBytes: [old, "\n", last] }, 0] }] };
      const separator: Expression = { $cond: [joined, "", "\n"] };
      await collection.updateOne(filter, [textSet(key, { $concat: [old, separator, literal(addition)] }, new Date())]);
    },
    update: async (iteration) => {
      const { key, oldWord, newWord } = turn(iteration);
      const old = field("$data", key);
      const replaced = { $replaceAll: { input: old, find: literal(oldWord), replacement: literal(newWord) } };
      const report = await collection.findOneAndUpdate(filter, [textSet(key, replaced, new Date())], {
        projection: { _id: 0, replaced: { $subtract: [{ $size: { $split: [old, literal(oldWord)] } }, 1] } },
      });
      return (report as { replaced?: number } | null)?.replaced;
    },
    write: async (iteration) => {
      const { key } = turn(iteration);
      const now = new Date();
      const createdAt = { $getField: { field: "createdAt", input: field("$meta", key) } };
      const report = await collection.findOneAndUpdate(filter, [textSet(key, literal(text), now)], {
        projection: { _id: 0, createdAt },
      });
      return { kind: "file", sizeBytes: Buffer.byteLength(text), createdAt: report?.createdAt ?? now, updatedAt: now };
    },
    delete: async (iteration) => {
      const { key } = turn(iteration);
      const fields = {
        data: withoutField("$data", key),
        meta: withoutField("$meta", key),
        revision: { $add: ["$revision", 1] },
        updatedAt: new Date(),
      };
      const { modifiedCount } = await collection.updateOne(filter, [{ $set: fields }]);
      return { files: modifiedCount, dirs: 0 };
    },
    read: async (iteration) => {
      const projection = { _id: 0, text: field("$data", turn(iteration).key) };
      return (await collection.findOne<{ text: string }>(filter, { projection }))?.text;
    },
    list: async () => {
      const projection = { _id: 0, files: keysOf("$data"), dirs: keysOf("$dirs") };
      const found = await collection.findOne<{ files: string[]; dirs: string[] }>(filter, { projection });
      const entries = [...childrenOf(found?.dirs ?? [], "dir"), ...childrenOf(found?.files ?? [], "file")];
      return entries.toSorted(byName);
    },
    stat: async (iteration) => {
      const { key } = turn(iteration);
      const projection = { _id: 0, sizeBytes: { $strLenBytes: field("$data", key) }, meta: field("$meta", key) };
      const found = await collection.findOne<{ sizeBytes: number; meta: object }>(filter, { projection });
      return { kind: "file", sizeBytes: found?.sizeBytes, ...found?.meta };
    },
    outline: async () => {
      const sizes: Expression = {
        $map: {
          input: { $objectToArray: "$data" },
          as: "entry",
          in: { key: "$$entry.k", sizeBytes: { $strLenBytes: "$$entry.v" } },
        },
      };
      const projection = { _id: 0, files: sizes, dirs: 1, revision: 1 };
      return collection.findOne<{ files: Entry[]; dirs: object; revision: number }>(filter, { projection });
    },
    snapshot: async () => collection.findOne<WithId<BenchDocument>>(filter),
  };
}

const keysOf = (record: string): Expression => ({
  $let: { vars: { entries: { $objectToArray: record } }, in: "$$entries.k" },
});

function childrenOf(keys: string[], kind: string): { name: string; kind: string }[] {
  const children: { name: string; kind: string }[] = [];
  for (const name of keys) if (!name.includes(".")) children.push({ name, kind });
  return children;
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

function textSet(key: string, newText: Expression, now: Date): { $set: Record<string, Expression> } {
  const createdAt = { $ifNull: [{ $getField: { field: "createdAt", input: field("$meta", key) } }, now] };
  const parents = key.split(".").slice(0, -1);
  return {
    $set: {
      data: withField("$data", key, newText),
      meta: withField("$meta", key, { createdAt, updatedAt: now }),
      ...(parents.length > 0 && { dirs: { $mergeObjects: ["$dirs", literal({ [parents.join(".")]: true })] } }),
      revision: { $add: ["$revision", 1] },
      updatedAt: now,
    },
  };
}
