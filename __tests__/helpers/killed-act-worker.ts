import { MongoClient } from "mongodb";
import { type ActName, type KilledAct, killedActs, openPlace, type UserAddress } from "./killed-acts.js";
import { parsePageBytes } from "./page-sizes.js";

/**
 * A process that kills itself just before it sends a command of what it does with a memory. Its arguments: URI,
 * database, address in JSON, what it does, number of the command, "history" or nothing, and the size of pages or
 * nothing.
 */
const [uri = "", dbName = "", address = "", name = "", last = "", history, pageBytes] = process.argv.slice(2);
const client = new MongoClient(uri, { monitorCommands: true });
const act: KilledAct = killedActs[name as ActName];
const { aheadMs = 0 } = act;
const settings = { client, dbName, pageBytes: parsePageBytes(pageBytes), history: history === "history", aheadMs };
const place = openPlace(settings, JSON.parse(address) as UserAddress);
await place.store.start();
// So that it knows the pages.
await place.memory.snapshot();
let sent = 0;
client.on("commandStarted", () => {
  sent += 1;
  if (sent === Number(last)) process.kill(process.pid, "SIGKILL");
});
await act.run(place);
await client.close();
