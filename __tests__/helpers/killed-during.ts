import type { MongoClient } from "mongodb";
import type { PrivateMongod } from "./mongo-servers.js";
import { until } from "./until-answers.js";

/** The step at which a server is killed: when a command is sent, or right after its answer. */
export type KillStep = readonly [event: "commandStarted" | "commandSucceeded", command: string];

/**
 * Kills the server at a step of a call, which may then fail, and starts the server again.
 * @param client must monitor its commands
 */
export async function killedDuring(
  mongod: PrivateMongod,
  client: MongoClient,
  [event, command]: KillStep,
  call: () => Promise<unknown>,
): Promise<void> {
  const killed: Promise<void>[] = [];
  const kill = ({ commandName }: { commandName: string }): void => {
    if (commandName === command && killed.length === 0) killed.push(mongod.kill());
  };
  client.on(event as "commandStarted", kill);
  await call().catch(() => null);
  await until(() => killed.length === 1);
  client.off(event as "commandStarted", kill);
  await Promise.all(killed);
  await mongod.restart();
}
