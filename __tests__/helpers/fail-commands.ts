import type { MongoClient } from "mongodb";

/** What happens to commands: see the fail point `failCommand` of MongoDB. */
interface Failure {
  failCommands: readonly string[];
  errorCode?: number;
  closeConnection?: boolean;
  blockConnection?: boolean;
  blockTimeMS?: number;
}

/** Makes commands of a private mongod fail or wait. @param failure null for no further ones */
export async function failCommands(client: MongoClient, failure: Failure | null, times = Infinity): Promise<void> {
  const mode = failure === null ? "off" : times === Infinity ? "alwaysOn" : { times };
  await client.db("admin").command({ configureFailPoint: "failCommand", mode, ...(failure && { data: failure }) });
}
