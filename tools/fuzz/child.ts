import { MongoClient } from "mongodb";
import { keepSecret } from "./oracle.js";
import { describeInput } from "./report.js";
import { runTarget } from "./run-target.js";
import type { ChildMessage, ChildTask } from "./run-in-child.js";
import { targets } from "./targets.js";

/** A call that takes longer is a finding. */
const maxCallMs = 1000;
/** Simple loops make so many steps in about 100 ms. Work in turns makes them in pieces of 10 ms. */
const maxSliceSteps = 10_000_000;

// A warning such as one of too many listeners ends the process, as an unhandled rejection does.
process.on("warning", (warning) => {
  if (!/^(?:MemoryWarning|ExperimentalWarning|DeprecationWarning)$/.test(warning.name)) throw warning;
});

const { name, uri, dbName, folder, ...options } = JSON.parse(process.argv[2] ?? "") as ChildTask;
const target = targets.find((each) => each.name === name);
if (target === undefined) throw new TypeError(`no target ${name}`);
keepSecret(folder);
const client = new MongoClient(uri, { w: 1, journal: false });
const report = await runTarget(
  target,
  { client, uri, dbName, folder },
  { ...options, maxCallMs, maxSliceSteps, onCase: (input, repeat) => send({ input: describeInput(input), repeat }) },
);
const last: ChildMessage = { report };
process.send?.(last, () => process.exit(0));

function send(message: ChildMessage): void {
  process.send?.(message);
}
