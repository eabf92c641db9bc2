import { describe, expect, it } from "@jest/globals";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { readMessages, type Refusal } from "../../../src/mcp/stdio/read-messages.js";
import { repetitions } from "../../helpers/repetitions.js";

/** What passes and what is refused of `chunks`, with messages of at most 300 bytes. */
async function linesOf(...chunks: (string | Buffer)[]): Promise<{ passed: unknown[]; refused: Refusal[] }> {
  const refused: Refusal[] = [];
  const passed: unknown[] = [];
  for await (const message of readMessages(streamOf(chunks), 300)) {
    if ("reason" in message) refused.push(message);
    else passed.push(message);
  }
  return { passed, refused };
}

async function* streamOf(chunks: Iterable<string | Buffer>): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

const ping = (id: number | string) => ({ method: "ping", jsonrpc: "2.0", id });
const long = (id: number | string, chars = 1000) =>
  JSON.stringify({ method: "ping", params: { text: "x".repeat(chars) }, jsonrpc: "2.0", id });

describe("lines of messages", () => {
  it("pass whole, however they are cut into chunks", async () => {
    const messages = [ping(1), { ...ping("ü"), params: { text: "grüße 🌍" } }, ping(3)];
    const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length })), async (cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(await linesOf(...chunks)).toEqual({ passed: messages, refused: [] });
      }),
      { numRuns: repetitions({ usual: 15, long: 30 }) },
    );
  });

  it("need no newline at the very end", async () => {
    expect(await linesOf(`${JSON.stringify(ping(1))}\n${JSON.stringify(ping(2))}`)).toEqual({
      passed: [ping(1), ping(2)],
      refused: [],
    });
    expect((await linesOf('{"jsonrpc":')).refused).toHaveLength(1);
  });

  it("that are blank or end in CRLF do no harm", async () => {
    expect(await linesOf(`\n  \r\n${JSON.stringify(ping(1))}\r\n`)).toEqual({ passed: [ping(1)], refused: [] });
  });

  it.each(["{", "hello", '{"jsonrpc":"2.0"', "\u0000", Buffer.from([0x22, 0xff, 0x22])])(
    "that are no JSON (%j) are refused, and the next one passes",
    async (line) => {
      const { passed, refused } = await linesOf(line, `\n${JSON.stringify(ping(1))}\n`);
      expect(passed).toEqual([ping(1)]);
      expect(refused).toEqual([{ id: null, code: -32_700, reason: expect.stringContaining("not valid JSON") }]);
    },
  );

  // Requirement: mcp.http-message-size
  it("that are nested too deep are refused by their id, and the next one passes", async () => {
    const deep = `{"params":${"[".repeat(101)}${"]".repeat(101)},"jsonrpc":"2.0","id":7}`;
    expect(await linesOf(`${deep}\n${JSON.stringify(ping(1))}\n`)).toEqual({
      passed: [ping(1)],
      refused: [{ id: 7, code: -32_600, reason: "the message holds more than 100 levels; none needs so many" }],
    });
  });

  it.each([
    ["[]", null],
    ["7", null],
    ["null", null],
    ['{"method":"ping","id":1}', 1],
    ['{"jsonrpc":"2.0","method":7,"id":"a"}', "a"],
    ['{"jsonrpc":"1.0","method":"ping","id":{}}', null],
  ])("that are no JSON-RPC (%s) are refused with their id", async (line, id) => {
    const { passed, refused } = await linesOf(`${line}\n${JSON.stringify(ping(2))}\n`);
    expect(passed).toEqual([ping(2)]);
    expect(refused).toEqual([{ id, code: -32_600, reason: expect.stringContaining("no JSON-RPC 2.0 message") }]);
  });

  it("that are too long are refused with their id, whether they come whole or in pieces", async () => {
    const line = long(7);
    const pieces = line.match(/.{1,50}/g) ?? [];
    for (const chunks of [[`${line}\n`], [...pieces, "\n"]]) {
      const { passed, refused } = await linesOf(...chunks, `${JSON.stringify(ping(8))}\n`);
      expect(passed).toEqual([ping(8)]);
      const reason = `the message has ${line.length} bytes; at most 300 are accepted`;
      expect(refused).toEqual([{ id: 7, code: -32_600, reason }]);
    }
  });

  it("that are too long and end by no id of their own are refused without one", async () => {
    const { refused } = await linesOf(
      `${JSON.stringify({ id: 1, params: { text: "x".repeat(1000), id: 2 } })}\n`,
      `${"x".repeat(1000)}\n`,
    );
    expect(refused.map(({ id }) => id)).toEqual([null, null]);
  });

  it("of the greatest size pass, and one byte more does not", async () => {
    const filled = (sizeBytes: number) => long(1, sizeBytes - long(1, 0).length);
    expect((await linesOf(`${filled(300)}\n`)).passed).toHaveLength(1);
    expect((await linesOf(`${filled(301)}\n`)).refused).toHaveLength(1);
  });

  it("that never end hold no more than their last bytes", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const heldBytes = (): number => {
      collect();
      return process.memoryUsage().arrayBuffers;
    };
    const before = heldBytes();
    let after = Infinity;
    async function* endless(): AsyncGenerator<Buffer> {
      for (let count = 0; count < 2000; count += 1) yield Buffer.alloc(100_000, "x");
      // 200 MB have passed.
      after = heldBytes();
    }
    for await (const message of readMessages(endless(), 300)) expect(message).toHaveProperty("reason");
    expect(after - before).toBeLessThan(100_000_000);
  });
});
