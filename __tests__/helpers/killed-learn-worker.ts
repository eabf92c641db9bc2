import { once } from "node:events";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/index.js";
import { learn } from "../../src/learn/index.js";
import { createLearningModel } from "./learning-model.js";
import { change } from "./scripted-learning.js";

/**
 * A process that learns from a memory, and reports its error code or "done". Its arguments: URI, database, node, and
 * what happens: the number of the write to the proposals before which it kills itself, or "wait" for a line on the
 * standard input before the model answers.
 */
const [uri = "", dbName = "", nodeId = "", step = ""] = process.argv.slice(2);
const client = new MongoClient(uri, { monitorCommands: true });
const memory = new MongoMemoryStore({ client, dbName, history: true }).memory({ nodeId });
let writes = 0;
client.on("commandStarted", ({ commandName, command }) => {
  if (commandName !== "findAndModify" || command[commandName] !== "memories_proposals") return;
  writes += 1;
  if (writes === Number(step)) process.kill(process.pid, "SIGKILL");
});
const { model } = createLearningModel(() =>
  [1, 2].map((number) =>
    change("write", `/profile/${step === "wait" ? "worker" : "note"}-${number}.md`, { text: `${number}` }),
  ),
);
if (step === "wait") {
  const answer = model._generate.bind(model);
  model._generate = async (...args) => {
    process.stdout.write("asked\n");
    await once(process.stdin, "data");
    return answer(...args);
  };
}
const result = await learn({ memory, model }).then(
  () => "done",
  (error: { code?: string }) => String(error.code),
);
process.stdout.write(`${result}\n`);
await client.close();
process.exit(0);
