import type { Collection } from "mongodb";
import type { Call } from "../measuring/measure.js";
import type { Command } from "./commands.js";
import { addition, type Fixture, type MemoryDocument, pickFile, text } from "./fixture.js";

type Expression = string | number | boolean | Date | Expression[] | { [operator: string]: unknown };

const literal = (value: unknown): Expression => ({ $literal: value });
const field = (record: string, key: string): Expression => ({ $getField: { field: literal(key), input: record } });
const withField = (record: string, key: string, value: Expression): Expression => ({
  $setField: { field: literal(key), input: record, value },
});
const withoutField = (record: string, key: string): Expression => ({
  $unsetField: { field: literal(key), input: record },
});
const allKeys = (record: string): Expression => ({
  $let: { vars: { entries: { $objectToArray: record } }, in: "$$entries.k" },
});

/**
 * The same work by hand: one command each for the same layout (times of the file, parents, revision), the shortest that
 * was found. It trusts its arguments, knows no limits, checks neither for directories nor for the earlier layout.
 */
export function createRawCommands(
  documents: Collection<MemoryDocument>,
  nodeId: string,
  fixture: Fixture,
): Record<Command, Call> {
  const filter = { nodeId, scope: "global" as const };
  const getKey = (iteration: number): string => pickFile(fixture, iteration).key;
  const findPart = (parts: Record<string, Expression>) =>
    documents.findOne<Record<string, unknown>>(filter, { projection: { _id: 0, ...parts } });
  return {
    append: async (iteration) => {
      const key = getKey(iteration);
      const old: Expression = { $ifNull: [field("$data", key), ""] };
      await documents.updateOne(filter, [setText(key, joinLines(old, literal(addition)), new Date())]);
    },
    update: async (iteration) => {
      const { key, oldWord, newWord } = pickFile(fixture, iteration);
      const old = field("$data", key);
      const replaced = { $replaceAll: { input: old, find: literal(oldWord), replacement: literal(newWord) } };
      const report = await documents.findOneAndUpdate(filter, [setText(key, replaced, new Date())], {
        projection: { _id: 0, replaced: { $subtract: [{ $size: { $split: [old, literal(oldWord)] } }, 1] } },
      });
      return (report as { replaced?: number } | null)?.replaced;
    },
    write: async (iteration) => {
      const key = getKey(iteration);
      const now = new Date();
      const report = await documents.findOneAndUpdate(filter, [setText(key, literal(text), now)], {
        projection: { _id: 0, createdAt: createdAt(key) },
      });
      return { kind: "file", sizeBytes: Buffer.byteLength(text), createdAt: report?.createdAt ?? now, updatedAt: now };
    },
    delete: async (iteration) => {
      const { modifiedCount } = await documents.updateOne(filter, [removeFile(getKey(iteration))]);
      return { files: modifiedCount, dirs: 0 };
    },
    read: async (iteration) => (await findPart({ text: field("$data", getKey(iteration)) }))?.["text"],
    list: async () => {
      const found = await findPart({ file: allKeys("$data"), dir: allKeys("$dirs") });
      const entries = Object.entries(found ?? {}).flatMap(([kind, keys]) => getChildren(kind, keys as string[]));
      return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    stat: async (iteration) => {
      const key = getKey(iteration);
      const found = await findPart({ sizeBytes: { $strLenBytes: field("$data", key) }, meta: field("$meta", key) });
      return { kind: "file", sizeBytes: found?.["sizeBytes"], ...(found?.["meta"] as object) };
    },
    outline: () => {
      const entry = { key: "$$entry.k", sizeBytes: { $strLenBytes: "$$entry.v" } };
      const files = { $map: { input: { $objectToArray: "$data" }, as: "entry", in: entry } };
      return findPart({ files, dirs: 1, revision: 1 });
    },
    snapshot: () => documents.findOne(filter),
  };
}

function getChildren(kind: string, keys: readonly string[]): { name: string; kind: string }[] {
  return keys.flatMap((name) => (name.includes(".") ? [] : { name, kind }));
}

/** An addition begins a line of its own. */
function joinLines(old: Expression, added: Expression): Expression {
  const last: Expression = { $max: [0, { $subtract: [{ $strLenBytes: old }, 1] }] };
  const isJoined: Expression = { $or: [{ $eq: [old, ""] }, { $gte: [{ $indexOfBytes: [old, "\n", last] }, 0] }] };
  return { $concat: [old, { $cond: [isJoined, "", "\n"] }, added] };
}

const createdAt = (key: string): Expression => ({ $getField: { field: "createdAt", input: field("$meta", key) } });

function setText(key: string, newText: Expression, now: Date): { $set: Record<string, Expression> } {
  const parents = key.split(".").slice(0, -1);
  return {
    $set: {
      data: withField("$data", key, newText),
      meta: withField("$meta", key, { createdAt: { $ifNull: [createdAt(key), now] }, updatedAt: now }),
      ...(parents.length > 0 && { dirs: { $mergeObjects: ["$dirs", literal({ [parents.join(".")]: true })] } }),
      revision: { $add: ["$revision", 1] },
      updatedAt: now,
    },
  };
}

function removeFile(key: string): { $set: Record<string, Expression> } {
  return {
    $set: {
      data: withoutField("$data", key),
      meta: withoutField("$meta", key),
      revision: { $add: ["$revision", 1] },
      updatedAt: new Date(),
    },
  };
}
