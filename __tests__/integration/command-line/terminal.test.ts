import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

const { uri, name: dbName, client } = testDatabase();
const store = new MongoMemoryStore({ client, dbName });

/**
 * Clears the screen, asks for what the terminal answers as if it was typed, deletes, begins a sequence in one
 * character.
 */
const hostile = "a\u001b[2J\u001b]0;title\u0007\u007f\u009b31m\rb\u202e";
const shown = String.raw`a\x1b[2J\x1b]0;title\x07\x7f\x9b31m\x0db\u202e`;
/** The direction of writing is all that a name can change: control characters are refused in names. */
const name = "invoice\u202efdp";
const file = `/dir/${name}`;
const text = `line 1\r\n\t${hostile}\n`;

/** What the program itself styles, and what stands between lines. */
const ownSequences = new RegExp(String.raw`\u001b\[\d+m|[\n\t]|\r\n`, "g");
const commanding = /[\p{Cc}\u202e]/u;

async function hostileMemory(): Promise<string[]> {
  const nodeId = randomUUID();
  await store.memory({ nodeId }).write(file, text);
  return ["--node", nodeId, "--uri", uri, "--db", dbName];
}

describe("a terminal", () => {
  it.each([
    ["ls", ["/dir"]],
    ["ls -l", ["/dir", "-l"]],
    ["tree", []],
    ["cat", [file]],
    ["grep", ["b"]],
    ["search", ["b"]],
    ["grep of a control character", ["\u001b"]],
    ["export", ["-"]],
    ["rm", [`${file}/none`]],
    ["mv", [`${file}/none`, "/x"]],
  ])("gets no control sequence out of a file or a name by %s", async (command, args) => {
    const place = await hostileMemory();
    const { stdout, stderr } = await cli([command.split(" ")[0] ?? "", ...args, ...place], { terminal: true });
    // The bar of an export is on the standard error.
    const printed = command === "export" ? stdout : stdout + stderr;
    expect(printed).not.toBe("");
    expect(printed.replaceAll(ownSequences, "")).not.toMatch(commanding);
    const json = await cli([command.split(" ")[0] ?? "", ...args, "--json", ...place]);
    expect((json.stdout + json.stderr).replaceAll("\n", "")).not.toMatch(commanding);
  });

  it("is shown what there is as escapes, and plain texts as they are", async () => {
    const place = await hostileMemory();
    expect((await cli(["cat", file, ...place], { terminal: true })).stdout).toBe(`line 1\r\n\t${shown}\n`);
    await cli(["write", "/plain", "größe 日本 👩‍👩‍👧\r\n\tb", ...place]);
    expect((await cli(["cat", "/plain", ...place], { terminal: true })).stdout).toBe("größe 日本 👩‍👩‍👧\r\n\tb");
  });

  it("alone is spared: a pipe gets every byte", async () => {
    const place = await hostileMemory();
    expect((await cli(["cat", file, ...place])).stdout).toBe(text);
    expect((await cli(["ls", "/dir", ...place])).stdout).toBe(`${name}\n`);
    expect(await cliJson(["cat", file, ...place])).toEqual({ ok: true, path: file, content: text });
  });
});
