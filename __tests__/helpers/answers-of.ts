import { BSON, type CommandSucceededEvent, type MongoClient } from "mongodb";

/** Measures the answers to the commands that a client with `monitorCommands` sends while `run` runs, in order. */
export async function answersOf(client: MongoClient, run: () => Promise<unknown>): Promise<{ sizeBytes: number }[]> {
  const answers: { sizeBytes: number }[] = [];
  const record = ({ reply }: CommandSucceededEvent): void =>
    void answers.push({ sizeBytes: BSON.calculateObjectSize(reply as object) });
  client.on("commandSucceeded", record);
  await run().finally(() => client.off("commandSucceeded", record));
  return answers;
}

/** Returns the bytes of all these answers. */
export async function receivedBy(client: MongoClient, run: () => Promise<unknown>): Promise<number> {
  return (await answersOf(client, run)).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
