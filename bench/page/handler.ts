import type * as pageEntry from "../../src/page/index.js";
import type { MemoryConnectorNode } from "../../src/graph/memory-connector-node.js";
import { builtPackage } from "../package/built-package.js";
import { type Call, compare, measureSides, median, type Sample } from "../measuring/measure.js";
import { comparisonCell, milliseconds, row, tableHead } from "../measuring/table.js";
import { bigMemory, busyMemory, type Store } from "./fixture.js";

const goal = 1.3;
const token = "token-of-the-bench";

/** What the page is asked, and the same calls of the store. */
function pairs(store: Store, connector: MemoryConnectorNode): Record<string, { path: string; calls: Call }> {
  const [big, busy] = [store.memory(bigMemory), store.memory(busyMemory)];
  const query = (address: Record<string, string>, more: Record<string, string> = {}): string =>
    new URLSearchParams({ ...address, ...more }).toString();
  return {
    "500 of 1,000 memories": { path: "memories", calls: () => firstOf(store.listMemories(), 501) },
    "change token, asked without a stream": {
      path: `change-token?${query(busyMemory)}`,
      calls: () => firstOf(store.listMemories(busyMemory), 1),
    },
    "file of 11 kB": {
      path: `file?${query(busyMemory, { path: "/log" })}`,
      calls: () => Promise.all([busy.read("/log"), busy.stat("/log")]),
    },
    "start of a directory of 10,000": { path: `tree?${query(bigMemory, { path: "/" })}`, calls: () => big.list("/") },
    "100 of 200 versions": {
      path: `versions?${query(busyMemory)}`,
      calls: () => firstOf(busy.history?.list({ limit: 101 }) ?? [], 101),
    },
    blame: { path: `blame?${query(busyMemory, { path: "/log" })}`, calls: async () => busy.history?.blame("/log") },
    "what the model sees": { path: `message?${query(busyMemory)}`, calls: () => connector.renderMessage() },
    "search of words": {
      path: `search?${query(busyMemory, { query: "fox" })}`,
      calls: () => busy.search("fox", { limit: 51 }),
    },
    "search of a text": {
      path: `search?${query(busyMemory, { query: "line 19", kind: "text" })}`,
      calls: () => busy.grep("line 19", { limit: 501 }),
    },
  };
}

async function firstOf(items: AsyncIterable<unknown> | Iterable<unknown>, count: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const item of items) if (found.push(item) >= count) break;
  return found;
}

/** The handler, from a `Request` to its `Response`, against the calls of the store that it makes. */
export async function measureHandler(
  store: Store,
  { createMemoryPage }: typeof pageEntry,
  rounds: number,
): Promise<string[]> {
  const page = createMemoryPage({ store, token });
  const { MemoryNode } = await builtPackage();
  const connector = new MemoryNode({ store, nodeId: busyMemory.nodeId }).createConnector();
  const rows: string[] = [];
  for (const [name, { path, calls }] of Object.entries(pairs(store, connector))) {
    const request = (): Request =>
      new Request(`http://localhost/api/${path}`, { headers: { "memory-page-token": token } });
    let [asked, response, text] = [request(), new Response(), ""];
    const handler: Call = async () => {
      response = await page(asked);
    };
    const read: Call = async () => {
      text = await (await page(asked)).text();
    };
    const answer: Call = () => new Response(JSON.stringify(value), { headers }).text();
    const first = await page(asked);
    const { headers, status } = first;
    const value: unknown = await first.json();
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(value)}`);
    // A server has made the request, and sends the answer.
    const restore: Call = async () => {
      asked = request();
      if (!response.bodyUsed) await response.text();
    };
    const samples: Record<"handler" | "read", Sample[]> = { handler: [], read: [] };
    const answerMs: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const times = await measureSides({ handler, calls, read, answer }, 40, restore);
      if (round === 0) continue;
      for (const side of ["handler", "read"] as const)
        samples[side].push({ oursMs: times[side], theirsMs: times.calls });
      answerMs.push(times.answer);
    }
    const compared = compare(samples.handler);
    const cells = [
      comparisonCell(compared, compared.ratio > goal),
      comparisonCell(compare(samples.read)),
      milliseconds(median(answerMs)),
    ];
    rows.push(row([name, ...cells, (Buffer.byteLength(text) / 1000).toFixed(1)]));
  }
  return [
    "The handler ÷ the calls of the store that it makes, the range of the rounds, and both times (goal: at most 1.3); the same with the text of the `Response` read, as a server does to send it; what it takes to make the same `Response` of the same value, and to read its text; and its bytes. What the model sees is measured against the connector.",
    "",
    ...tableHead(["asked", "handler", "and its text", "Response alone, ms", "kB"]),
    ...rows,
  ];
}
