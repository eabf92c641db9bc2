import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { Memory } from "../../src/index.js";
import { learn, MongoMemoryStore } from "../measuring/built-package.js";
import { tableHead, toRow } from "../measuring/report.js";
import { inDatabase, onServer } from "../measuring/servers.js";
import { answers, createMistaken, type Learning, learntPath } from "./mistaken-models.js";

const roundsShown = [1, 5, 20];
const factsInRound = 2;
const things = ["bicycle", "piano", "kettle", "tent", "lamp", "camera", "rug", "desk", "drill", "kayak"];

/** How the changes of a run become true. */
const ways = {
  "nobody decides": { apply: "propose", approves: false },
  "all is approved": { apply: "propose", approves: true },
  "append-only, nobody decides": { apply: "append-only", approves: false },
} as const;

/** The facts of a round, each with its date. */
function createFacts(round: number): string[] {
  const day = new Date(Date.UTC(2026, 2, round)).toISOString().slice(0, 10);
  return Array.from({ length: factsInRound }, (_, index) => {
    const number = factsInRound * (round - 1) + index;
    return `${day}: Ada bought the ${things[number % things.length]} number ${number + 1}.`;
  });
}

const noise = ["How are you?", "Nice weather.", "Thank you!", "See you tomorrow."].join("\n");

interface Kept {
  /** The share of facts that stand in the learnt file with their date, after each number of rounds. */
  shares: number[];
  /** Lines of the learnt file, at last, that are no fact with its date, or that stand there again. */
  wrong: number;
  /** The share of facts that stand anywhere in the memory, at last. */
  anywhere: number;
}

/** Lets models that make known mistakes learn from notes, round after round. @param real a model with a key, if any */
export async function evaluateLearning(real: BaseChatModel | null): Promise<void> {
  const rows = await onServer("standalone", (uri) =>
    inDatabase(uri, {}, async (client, dbName) => {
      const store = new MongoMemoryStore({ client, dbName, history: true });
      const found: string[] = [];
      const models = real === null ? Object.keys(answers) : ["the model of --model"];
      for (const name of models)
        for (const [way, { apply, approves }] of Object.entries(ways)) {
          const memory = store.memory({ nodeId: `${name} ${way}` });
          const { shares, wrong, anywhere } = await runRounds(memory, { name, apply, approves, real });
          const cells = [...shares, null, anywhere].map((cell) => (cell === null ? `${wrong}` : cell.toFixed(2)));
          found.push(toRow([name, way, ...cells]));
        }
      return found;
    }),
  );
  const after = roundsShown.map((rounds) => `after ${rounds}`);
  const titles = ["the model", "who decides", ...after, "wrong or repeated lines", "anywhere in the memory"];
  console.log(`\nFacts with their date in the learnt file\n\n${[...tableHead(titles), ...rows].join("\n")}`);
}

interface Rounds {
  name: string;
  apply: "propose" | "append-only";
  approves: boolean;
  real: BaseChatModel | null;
}

async function runRounds(memory: Memory, { name, apply, approves, real }: Rounds): Promise<Kept> {
  const facts: string[] = [];
  const shares: number[] = [];
  const readLearnt = async (): Promise<string> => ((await memory.stat(learntPath)) ? memory.read(learntPath) : "");
  for (let round = 1; round <= Math.max(...roundsShown); round += 1) {
    const news = createFacts(round);
    facts.push(...news);
    await memory.append(`/inbox/${round}`, [...news, noise].join("\n"));
    const know = async (): Promise<Learning> => ({ news, facts, learnt: await readLearnt() });
    const model = real ?? createMistaken(answers[name] ?? (() => []), know);
    await learn({ memory, model, read: ["/inbox/**"], write: ["/profile/**"], apply });
    if (approves)
      for await (const { id } of memory.proposals?.list() ?? [])
        await memory.proposals?.approve(id, { by: { userId: "carol" } });
    if (!roundsShown.includes(round)) continue;
    const lines = new Set((await readLearnt()).split("\n"));
    shares.push(facts.filter((fact) => lines.has(fact)).length / facts.length);
  }
  const lines = (await readLearnt()).split("\n").filter((line) => line !== "");
  const right = new Set(lines.filter((line) => facts.includes(line)));
  const { files } = await memory.snapshot();
  const anywhere = facts.filter((fact) => files.some(({ content }) => content.includes(fact))).length / facts.length;
  return { shares, wrong: lines.length - right.size, anywhere };
}
