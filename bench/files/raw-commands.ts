import type { ClientSession, Collection, MongoClient } from "mongodb";
import type { Call } from "../measuring/measure.js";
import { durable } from "../measuring/servers.js";
import { addition, text } from "../memories/fixture.js";
import type { FileCommand } from "./commands.js";
import { type FileDocument, type ManyFiles, pickPlace } from "./fixture.js";

const literal = (value: unknown): object => ({ $literal: value });

/** The same work by hand: a command or a transaction each. It trusts its arguments, and checks nothing. */
export function createRawCommands(
  client: MongoClient,
  documents: Collection<FileDocument>,
  { prefix, count }: ManyFiles,
): Record<FileCommand, Call> {
  const getId = (iteration: number): string => {
    const { directory, name } = pickPlace(count, iteration);
    return `${prefix}${directory}\0${name}`;
  };
  const create =
    (directory: string): Call =>
    (iteration) => {
      const now = new Date();
      const times = { createdAt: now, updatedAt: now };
      const file = { kind: "file", text, sizeBytes: text.length, ...times } as const;
      return inTransaction(client, async (session) => {
        const made = { $inc: { made: 1 }, $max: { updatedAt: now } };
        await documents.updateOne({ _id: `${prefix}\0${directory}` }, made, { session });
        await documents.insertOne({ _id: `${prefix}/${directory}\0new-${iteration}`, ...file }, { session });
      });
    };
  return {
    read: async (iteration) =>
      (await documents.findOne({ _id: getId(iteration) }, { projection: { _id: 0, text: 1 } }))?.text,
    append: (iteration) => appendRaw(documents, getId(iteration)),
    update: async (iteration) => {
      const replaced = { $replaceAll: { input: "$text", find: literal("lorem"), replacement: literal("lorem") } };
      const found = await documents.findOneAndUpdate({ _id: getId(iteration) }, setText(replaced), {
        projection: { _id: 0, replaced: { $subtract: [{ $size: { $split: ["$text", literal("lorem")] } }, 1] } },
      });
      return (found as { replaced?: number } | null)?.replaced;
    },
    write: (iteration) =>
      documents.findOneAndUpdate(
        { _id: getId(iteration) },
        { $set: { text, sizeBytes: text.length, updatedAt: new Date() } },
        { projection: { _id: 0, createdAt: 1 } },
      ),
    create: create("dir-0"),
    "create by append": create("dir-1"),
    delete: (iteration) =>
      inTransaction(client, async (session) => {
        await documents.updateOne({ _id: `${prefix}\0dir-0` }, { $inc: { made: 1 } }, { session });
        await documents.deleteOne({ _id: `${prefix}/dir-0\0new-${iteration}` }, { session });
      }),
    list: (iteration) => {
      const { directory } = pickPlace(count, iteration);
      const range = { $gte: `${prefix}${directory}\0`, $lt: `${prefix}${directory}\u0001` };
      return documents.find({ _id: range }, { projection: { kind: 1 } }).toArray();
    },
  };
}

export function appendRaw(documents: Collection<FileDocument>, _id: string): Promise<unknown> {
  const last = { $max: [0, { $subtract: [{ $strLenBytes: "$text" }, 1] }] };
  const isJoined = { $or: [{ $eq: ["$text", ""] }, { $gte: [{ $indexOfBytes: ["$text", "\n", last] }, 0] }] };
  const appended = { $concat: ["$text", { $cond: [isJoined, "", "\n"] }, literal(addition)] };
  return documents.updateOne({ _id }, setText(appended));
}

function setText(newText: object): object[] {
  return [{ $set: { text: newText, updatedAt: new Date() } }, { $set: { sizeBytes: { $strLenBytes: "$text" } } }];
}

function inTransaction(client: MongoClient, run: (session: ClientSession) => Promise<void>): Promise<void> {
  return client.withSession((session) =>
    session.withTransaction(() => run(session), { readConcern: { level: "snapshot" }, writeConcern: durable }),
  );
}
