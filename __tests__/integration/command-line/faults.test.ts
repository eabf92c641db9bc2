import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { cli } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName } = testDatabase();
const folder = testFolder();
const dir = join(folder, "memory");
const nodeId = randomUUID();
const memory = new MongoMemoryStore({ client, dbName }).memory({ nodeId });
const inDatabase = ["--uri", uri, "--db", dbName, "--node", nodeId];

describe("a fault", () => {
  it("of the standard input leaves everything as it was", async () => {
    for (const [stdin, exitCode] of [
      [Buffer.from([0x61, 0xff]), 2],
      [Buffer.alloc(1_000_001, "x"), 1],
    ] as const) {
      for (const command of ["append", "write"]) {
        const { exitCode: found, stderr } = await cli([command, "/new", ...inDatabase], { stdin });
        expect([found, stderr]).toEqual([exitCode, expect.stringMatching(/^error: standard input: .*\n$/)]);
      }
    }
    expect(await memory.stat("/new")).toBeNull();
  });

  it("of the program itself exits with 70 and is told in one line", async () => {
    const failing = (async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from("x");
      throw new Error("a fault\nof the test");
    })();
    expect(await cli(["append", "/a", ...inDatabase], { stdin: failing })).toMatchObject({
      exitCode: 70,
      stderr: "error: unexpected failure (a fault of the test); please report it\n",
    });
  });
});

describe("a password", () => {
  const secret = "geh@im/:w%C3%B6rt er";
  const secrets = ["geh", "im/:w", "geheim", "wörter", "rt er", "top secret"];
  const away = "serverSelectionTimeoutMS=50";
  const wrong = [
    `mongodb://user:${secret}@127.0.0.1:9/db?${away}`,
    `mongodb://user:geheim@127.0.0.1:9/?${away}`,
    `mongodb://127.0.0.1:9/?authMechanism=MONGODB-AWS&authMechanismProperties=AWS_SESSION_TOKEN:geheim&${away}`,
  ];
  const odd = [
    ...wrong,
    `mongodb://:geheim@127.0.0.1:9/?${away}`,
    `mongodb+srv://user:geheim@missing.invalid/?${away}`,
    `mongodb://user:geheim@127.0.0.1:9,127.0.0.1:10/?${away}&proxyHost=h&proxyUsername=u&proxyPassword=geheim`,
    "mongodb://user:geheim@[::1",
    "MONGODB://user:geheim@127.0.0.1:9",
  ];
  const commands = [
    ["ls"],
    ["tree"],
    ["cat", "/a"],
    ["append", "/a", "x"],
    ["write", "/a", "x"],
    ["rm", "/a"],
    ["mv", "/a", "/b"],
    ["grep", "x"],
    ["export", join(folder, "never")],
    ["export", "-", "--all"],
    ["import", "--dir", dir],
    ["approve", "x", "--by", "ada"],
    ["doctor"],
    ["migrate", "earlier-format"],
    ["mcp", "--http", "--port", "0"],
  ];
  const isShown = (text: string): boolean => secrets.some((part) => text.includes(part));

  async function assertHidden(argv: string[], env: Record<string, string> = {}): Promise<void> {
    const { exitCode, stdout, stderr } = await cli(argv, { env });
    expect([2, 3]).toContain(exitCode);
    expect([stdout + stderr, isShown(stdout + stderr)]).toEqual([stdout + stderr, false]);
  }

  it.each(commands.map((command) => [command]))("is never printed by %j", async (command) => {
    const own = command.includes("--all") ? [] : ["--node", "n"];
    for (const given of wrong) {
      await assertHidden([...command, ...own, "--uri", given]);
      await assertHidden([...command, ...own, "--json"], { MONGODB_URI: given });
    }
  });

  it("is never printed of any connection string, wherever it stands", async () => {
    for (const given of odd) {
      await assertHidden(["ls", "--node", "n", "--uri", given]);
      await assertHidden(["import", "--dir", dir, "--node", "n", "--uri", given]);
      for (const argv of [
        [given],
        ["ls", "a", given],
        ["ls", `--url=${given}`],
        ["ls", "--paths", given],
        ["search", "x", "--limit", given],
        ["log", "--limit", given],
        ["import", "-", "--as", given.padEnd(2000, "x")],
        ["import", "--dir", given],
      ]) {
        await assertHidden(argv);
      }
    }
  });
});
