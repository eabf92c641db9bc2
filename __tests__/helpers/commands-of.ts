import type { CommandStartedEvent, MongoClient } from "mongodb";

/** Records the commands that a client with `monitorCommands` sends while `run` runs, in order. */
export async function commandsOf(client: MongoClient, run: () => Promise<unknown>): Promise<CommandStartedEvent[]> {
  const events: CommandStartedEvent[] = [];
  const record = (event: CommandStartedEvent): number => events.push(event);
  client.on("commandStarted", record);
  await run().finally(() => client.off("commandStarted", record));
  return events;
}
