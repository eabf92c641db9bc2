import { MongoClient } from "mongodb";
import { MemoryError, type MemoryErrorCode, MemoryNode, MongoMemoryStore } from "../../src/index.js";
import { parsePageBytes, withPageBytes } from "./page-sizes.js";
import { untilAnswers } from "./until-answers.js";

/** What a process tells about a line: that it will append it, and what became of that. */
export interface ToldLine {
  line: string;
  /** "unknown" also if it is proposed, and may be approved later. Else the code of a refusal. */
  state: "begun" | "made" | "unknown" | MemoryErrorCode;
}

/**
 * A process that appends lines to a memory, some of them by proposals that it approves, and renames directories. It
 * tells what becomes of each line. Its arguments: URI, database, node id, name, and the size of pages or nothing. It
 * ends with its standard input.
 */
const [uri = "", dbName = "", nodeId = "", name = "", pageBytes] = process.argv.slice(2);
const callers = 2;
const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2000 });
const store = new MongoMemoryStore({ client, dbName, history: true, ...withPageBytes(parsePageBytes(pageBytes)) });
const memory = store.memory({ nodeId });
const rules = [{ path: "/**", access: "ask" as const }];
const [tool] = new MemoryNode({ store, nodeId, rules, onAsk: "propose" }).memoryTools;

const tell = (told: ToldLine): boolean => process.stdout.write(`${JSON.stringify(told)}\n`);
const pick = <T>(values: readonly [T, ...T[]]): T => values[Math.floor(Math.random() * values.length)] ?? values[0];
const pickDirectory = (): string => pick(["/a", "/b", "/c", "/d/e", "/d/f"]);
let isStopped = false;

async function append(path: string, line: string): Promise<ToldLine["state"]> {
  await memory.append(path, line);
  return "made";
}

async function appendByProposal(path: string, content: string): Promise<ToldLine["state"]> {
  const answer = String(await tool?.invoke({ command: "append", path, content } as never));
  const { result } = JSON.parse(answer) as { result?: { proposal?: string } };
  if (result?.proposal === undefined) return "unknown";
  await memory.proposals?.approve(result.proposal, { by: { userId: name } });
  return "made";
}

async function appendLine(line: string): Promise<void> {
  const path = `${pickDirectory()}/${pick(["x", "y", "z"])}`;
  const way = pick([append, append, append, appendByProposal]);
  tell({ line, state: "begun" });
  try {
    tell({ line, state: await way(path, line) });
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    tell({ line, state: error.code === "EIO" || way === appendByProposal ? "unknown" : error.code });
    if (error.code === "EIO") await untilAnswers(memory);
  }
}

async function work(caller: number): Promise<void> {
  for (let number = 0; !isStopped; number += 1) {
    await appendLine(`${name} ${caller} ${number}`);
    if (number % 5 === 4) await memory.rename(pickDirectory(), pickDirectory()).catch(() => undefined);
  }
}

process.stdin.on("end", () => (isStopped = true)).resume();
await untilAnswers(memory);
await Promise.all(Array.from({ length: callers }, (_, caller) => work(caller)));
await client.close();
