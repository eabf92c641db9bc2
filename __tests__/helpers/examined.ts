import type { Db } from "mongodb";

/** What the profiler says of a command: what it is, and how many keys and documents it examines. */
export interface Examined {
  op: string;
  command: string | undefined;
  keysExamined: number;
  docsExamined: number;
}

/** Of the commands of a call on a collection of a database that no other test uses. */
export async function examined(db: Db, collection: string, run: () => Promise<unknown>): Promise<Examined[]> {
  await db.command({ profile: 0 });
  await db
    .collection("system.profile")
    .drop()
    .catch(() => undefined);
  await db.command({ profile: 2 });
  await run();
  await db.command({ profile: 0 });
  const found = await db
    .collection("system.profile")
    .find({ ns: `${db.databaseName}.${collection}` })
    .sort({ ts: 1 })
    .toArray();
  return found.map(({ op, command, keysExamined = 0, docsExamined = 0 }) => ({
    op,
    command: Object.keys(command as object)[0],
    keysExamined,
    docsExamined,
  }));
}
