import type { Db } from "mongodb";

/** The profiler's data about a command: its kind, and the numbers of examined keys and documents. */
export interface Examined {
  op: string;
  command: string | undefined;
  keysExamined: number;
  docsExamined: number;
}

/** Records the commands of a call on a collection. No other test may use the database. */
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
