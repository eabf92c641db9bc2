import type { Collection, MongoClient } from "mongodb";
import type { Call } from "../measuring/measure.js";
import { durable } from "../measuring/servers.js";
import { addition, text } from "../memories/fixture.js";
import { type FileDocument, type ManyFiles, placeOf } from "./fixture.js";
import type { FileCommand } from "./file-commands.js";

const literal = (value: unknown): object => ({ $literal: value });

/** The same work by hand: a command or a transaction each. It trusts its arguments, and checks nothing. */
export function rawCommands(
  client: MongoClient,
  documents: Collection<FileDocument>,
  { prefix, count }: ManyFiles,
): Record<FileCommand, Call> {
  const idOf = (iteration: number): string => {
    const { directory, name } = placeOf(count, iteration);
    return `${prefix}${directory}\0${name}`;
  };
  return {
    read: async (iteration) =>
      (await documents.findOne({ _id: idOf(iteration) }, { projection: { _id: 0, text: 1 } }))?.text,
    append: (iteration) => rawAppend(documents, idOf(iteration)),
    update: async (iteration) => {
      const found = await documents.findOneAndUpdate(
        { _id: idOf(iteration) },
        [
          {
            $set: {
              text: { $replaceAll: { input: "$text", find: literal("lorem"), replacement: literal("lorem") } },
              updatedAt: new Date(),
            },
          },
          { $set: { sizeBytes: { $strLenBytes: "$text" } } },
        ],
        { projection: { _id: 0, replaced: { $subtract: [{ $size: { $split: ["$text", literal("lorem")] } }, 1] } } },
      );
      return (found as { replaced?: number } | null)?.replaced;
    },
    write: (iteration) =>
      documents.findOneAndUpdate(
        { _id: idOf(iteration) },
        { $set: { text, sizeBytes: text.length, updatedAt: new Date() } },
        { projection: { _id: 0, createdAt: 1 } },
      ),
    create: (iteration) => rawCreate(client, documents, prefix, "dir-0", `new-${iteration}`),
    "create by append": (iteration) => rawCreate(client, documents, prefix, "dir-1", `new-${iteration}`),
    delete: (iteration) =>
      inTransaction(client, async (session) => {
        await documents.updateOne({ _id: `${prefix}\0dir-0` }, { $inc: { made: 1 } }, { session });
        await documents.deleteOne({ _id: `${prefix}/dir-0\0new-${iteration}` }, { session });
      }),
    list: (iteration) => {
      const { directory } = placeOf(count, iteration);
      const range = { $gte: `${prefix}${directory}\0`, $lt: `${prefix}${directory}\u0001` };
      return documents.find({ _id: range }, { projection: { kind: 1 } }).toArray();
    },
  };
}

export function rawAppend(documents: Collection<FileDocument>, _id: string): Promise<unknown> {
  const last = { $max: [0, { $subtract: [{ $strLenBytes: "$text" }, 1] }] };
  const joined = { $or: [{ $eq: ["$text", ""] }, { $gte: [{ $indexOfBytes: ["$text", "\n", last] }, 0] }] };
  const appended = { $concat: ["$text", { $cond: [joined, "", "\n"] }, literal(addition)] };
  return documents.updateOne({ _id }, [
    { $set: { text: appended, updatedAt: new Date() } },
    { $set: { sizeBytes: { $strLenBytes: "$text" } } },
  ]);
}

function rawCreate(
  client: MongoClient,
  documents: Collection<FileDocument>,
  prefix: string,
  directory: string,
  name: string,
): Promise<void> {
  const now = new Date();
  return inTransaction(client, async (session) => {
    await documents.updateOne(
      { _id: `${prefix}\0${directory}` },
      { $inc: { made: 1 }, $max: { updatedAt: now } },
      { session },
    );
    await documents.insertOne(
      {
        _id: `${prefix}/${directory}\0${name}`,
        kind: "file",
        text,
        sizeBytes: text.length,
        createdAt: now,
        updatedAt: now,
      },
      { session },
    );
  });
}

async function inTransaction(
  client: MongoClient,
  run: (session: ReturnType<MongoClient["startSession"]>) => Promise<void>,
): Promise<void> {
  const session = client.startSession();
  try {
    await session.withTransaction(() => run(session), { readConcern: { level: "snapshot" }, writeConcern: durable });
  } finally {
    await session.endSession();
  }
}
