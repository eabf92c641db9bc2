import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { cli } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName } = testDatabase();
const folder = testFolder();
const dir = join(folder, "memory");
const inFolder = ["--dir", dir];
const nodeId = randomUUID();
const memory = new MongoMemoryStore({ client, dbName }).memory({ nodeId });
const inDatabase = ["--uri", uri, "--db", dbName, "--node", nodeId];

beforeAll(async () => {
  await mkdir(dir);
  await memory.write("/notes/a", "text");
  await memory.write("/file", "text");
  await writeFile(join(folder, "plain file"), "x");
});

/** A command line, its exit code, the code it reports, and what its one sentence must say. */
const faults: [argv: string[], exitCode: number, code: string, says: RegExp][] = [
  [["sl"], 2, "EUSAGE", /unknown command 'sl'.*Did you mean ls.*; `help` lists the commands/],
  [["migrate"], 2, "EUSAGE", /no command was given; pass earlier-format; usage: .* migrate .*help/],
  [["migrate", "earlier"], 2, "EUSAGE", /unknown command 'earlier'.*; `migrate --help` shows/],
  [["ls", "--jason", ...inDatabase], 2, "EUSAGE", /unknown option '--jason'.*--json/],
  [
    ["cat", ...inDatabase],
    2,
    "EUSAGE",
    /missing required argument 'path'; usage: langgraph-mongo-memory cat \[options\] <path>; `cat --help` shows/,
  ],
  [
    ["mv", "/file", ...inDatabase],
    2,
    "EUSAGE",
    /argument 'to'; usage: langgraph-mongo-memory mv \[options\] <from> <to>;/,
  ],
  [["cat", "/file", "/other", ...inDatabase], 2, "EUSAGE", /too many arguments for 'cat'/],
  [["ls", "--dir", dir], 2, "EUSAGE", /unknown option '--dir'/],
  [["ls", "--node"], 2, "EUSAGE", /option '--node <id>' argument missing/],
  [["ls", "--paths", "dos", ...inDatabase], 2, "EUSAGE", /'dos' is invalid.*posix, plain; usage: /],
  [["ls"], 2, "EUSAGE", /no memory was named; pass --uri \(or set MONGODB_URI\) with --node$/m],
  [["ls", "--node", "a"], 2, "EUSAGE", /no database was named; pass --uri, or set MONGODB_URI/],
  [["ls", "--uri", uri], 2, "EUSAGE", /pass --node/],
  [["ls", "--uri", "mongo:/x", "--node", "a"], 2, "EUSAGE", /--uri.*malformed; expected mongodb:\/\//],
  [["mcp", "--uri", uri, ...inFolder], 2, "EUSAGE", /--uri goes with a database; a folder is one memory/],
  [["mcp", "--node", "a", ...inFolder], 2, "EUSAGE", /--node goes with a database/],
  [["ls", "--uri", uri, "--node", ""], 2, "EUSAGE", /--node.*non-empty/],
  [["ls", "--uri", uri, "--node", "a\u0007"], 2, "EUSAGE", /control characters/],
  [["ls", "--uri", uri, "--node", "a", "--thread", ""], 2, "EUSAGE", /--thread: id must be a non-empty string/],
  [["ls", "--uri", uri, "--node", "a", "--user", ""], 2, "EUSAGE", /--user: id must be a non-empty string/],
  [
    ["ls", "--uri", uri, "--node", "never written"],
    1,
    "ENOENT",
    /there is no memory of node "never written" yet; check/,
  ],
  [["ls", "--uri", uri, "--db", "a b", "--node", "a"], 2, "EUSAGE", /--db "a b"/],
  [["ls", "--uri", uri, "--memories-collection", "a$", "--node", "a"], 2, "EUSAGE", /--memories-collection "a\$"/],
  [
    ["import", "--dir", join(folder, "missing"), ...inDatabase],
    2,
    "EINPUT",
    /missing: there is no such file or folder/,
  ],
  [
    ["import", "--dir", join(folder, "plain file"), ...inDatabase],
    2,
    "EINPUT",
    /plain file: it is a file; name the folder/,
  ],
  [["mcp", "--dir", "/"], 2, "EUSAGE", /--dir \/: .*root of a file system/],
  [["export", "--to-dir", "/", ...inDatabase], 2, "EUSAGE", /--to-dir \/: .*root of a file system/],
  [["ls", "/missing", ...inDatabase], 1, "ENOENT", /^error: \/missing: ENOENT: .*`tree`/],
  [["ls", "/a/../b", ...inDatabase], 2, "EINVAL", /"\.\." not allowed/],
  [["tree", "/missing", ...inDatabase], 1, "ENOENT", /\/missing/],
  [["cat", "/missing", ...inDatabase], 1, "ENOENT", /\/missing/],
  [["cat", "/notes", ...inDatabase], 1, "EISDIR", /^error: \/notes: EISDIR: path is a directory; name a file/],
  [["cat", "", ...inDatabase], 2, "EINVAL", /path is required/],
  [["append", "/file/x", "text", ...inDatabase], 1, "ENOTDIR", /\/file\/x: ENOTDIR/],
  [["append", "/notes", "text", ...inDatabase], 1, "EISDIR", /\/notes/],
  [["write", "/a.b", "text", "--paths", "plain", ...inDatabase], 2, "EINVAL", /\/a\.b: invalid path segment: a\.b/],
  [["write", "/big", "x".repeat(1_000_001), ...inDatabase], 1, "EFBIG", /\/big: EFBIG: .*1000001 bytes.*split/],
  [["write", "/a", "x", "--if-exists", "ask", ...inDatabase], 2, "EUSAGE", /'ask' is invalid/],
  [["rm", "/missing", ...inDatabase], 1, "ENOENT", /\/missing/],
  [["rm", "/", ...inDatabase], 2, "EUSAGE", /--all/],
  [["mv", "/missing", "/x", ...inDatabase], 1, "ENOENT", /\/missing to \/x: ENOENT/],
  [["mv", "/file", "/notes/a", ...inDatabase], 1, "EEXIST", /\/file to \/notes\/a: EEXIST/],
  [["mv", "/notes", "/notes/b", ...inDatabase], 2, "EINVAL", /into itself/],
  [["grep", "", ...inDatabase], 2, "EINVAL", /the pattern: pattern must have 1 to 10000 characters/],
  [["grep", "x", "/missing", ...inDatabase], 1, "ENOENT", /\/missing/],
  [["search", "x", "--limit", "1001", ...inDatabase], 2, "EUSAGE", /--limit 1001/],
  [["search", "", ...inDatabase], 2, "EINVAL", /the query: query must have 1 to 10000 characters/],
  [["search", "x", "--path", "/missing", ...inDatabase], 1, "ENOENT", /\/missing/],
  [["export", join(folder, "out"), "--all", "--node", "a", "--uri", uri], 2, "EUSAGE", /--node does not go with --all/],
  [["export", ...inDatabase], 2, "EUSAGE", /export takes a file, - for the standard output, or --to-dir; pass one/],
  [["export", folder, ...inDatabase], 1, "EEXIST", /it is a folder; .*--to-dir/],
  [["export", folder, "--overwrite", ...inDatabase], 1, "EEXIST", /it is a folder; .*--to-dir/],
  [["export", "--to-dir", folder, "--all", "--uri", uri], 2, "EUSAGE", /--all does not go with --to-dir/],
  [["export", "--to-dir", folder, "--user", "ada", "--uri", uri], 2, "EUSAGE", /no memory was named; pass --node/],
  [
    ["export", "-", "--user", "ada", "--thread", "t", "--uri", uri],
    2,
    "EUSAGE",
    /--thread and --user exclude each other/,
  ],
  [["import", join(folder, "missing"), "--to-dir", dir], 2, "EINPUT", /missing: there is no such/],
  [["import", folder, "--to-dir", dir], 2, "EINPUT", /it is not a regular file; .*--dir for a folder/],
  [["import", "/dev/null", "--to-dir", dir], 2, "EINPUT", /it is not a regular file; name one that export has made/],
  [["import", join(folder, "plain file"), "--uri", uri], 2, "EINPUT", /line 1: it is not a JSON object/],
  [["import", ...inFolder], 2, "EUSAGE", /no database was named/],
  [["import", ...inFolder, "--to-dir", folder, "--node", "a"], 2, "EUSAGE", /--node goes with a database/],
  [["doctor", ...inFolder], 2, "EUSAGE", /unknown option '--dir'/],
  [["doctor", "--thread", "t", "--uri", uri], 2, "EUSAGE", /--thread needs --node/],
  [["doctor", "--node", "", "--uri", uri], 2, "EUSAGE", /--node.*non-empty/],
  [["migrate", "earlier-format", "--node", "a\u0007", "--uri", uri], 2, "EUSAGE", /--node.*control characters/],
  [["migrate", "earlier-format"], 2, "EUSAGE", /MONGODB_URI/],
  [["memories", "--scope", "perThread", "--user", "ada", "--uri", uri], 2, "EUSAGE", /--scope: .* have no user; leave/],
  [["mcp", "--port", "1", ...inFolder], 2, "EUSAGE", /--port goes with --http/],
  [["mcp", "--http", "--port", "x", ...inFolder], 2, "EUSAGE", /--port x is not a port/],
  [["mcp", "--http", "--host", "0.0.0.0", ...inFolder], 2, "EUSAGE", /token/],
  [
    ["mcp", "--http", "--token-file", join(folder, "missing"), ...inFolder],
    2,
    "EINPUT",
    /--token-file .*missing: there is no such/,
  ],
  [["mcp", "--http", "--token-file", dir, ...inFolder], 2, "EINPUT", /it is a folder/],
  [
    ["mcp", "--dialect", "unified", "claude", ...inFolder],
    2,
    "EUSAGE",
    /--dialect: .*unified and claude both have a tool called memory/,
  ],
  [
    ["mcp", "--http", "--dialect", "journal", "journal", ...inFolder],
    2,
    "EUSAGE",
    /--dialect: .*both have a tool called memory_write/,
  ],
  [["init", "state-graph", folder], 1, "EEXIST", /the folder is not empty; name one that is empty/],
  [["init", "state-graph", join(folder, "plain file")], 2, "EINPUT", /plain file: a part of the path is a file/],
  [
    ["ls", "--uri", "mongodb://127.0.0.1:9/a.b", "--node", "a"],
    2,
    "EUSAGE",
    /name of the database in the MongoDB connection string must have/,
  ],
  [
    ["ls", "--uri", "mongodb+srv://user:geheim@missing.invalid/a", "--node", "a"],
    3,
    "EIO",
    /user:\*\*\*@missing\.invalid.*the name in the connection string does not resolve/,
  ],
];

describe("a fault", () => {
  it.each(faults)("of %j exits with %d as %s", async (argv, exitCode, code, says) => {
    const plain = await cli(argv);
    expect([plain.exitCode, plain.stdout]).toEqual([exitCode, ""]);
    expect(plain.stderr).toMatch(says);
    expect(plain.stderr).toMatch(/^error: .*[^.]\n$/);
    expect(plain.stderr).toContain("; ");
    const json = await cli([...argv.slice(0, 1), "--json", ...argv.slice(1)]);
    expect([json.exitCode, json.stdout]).toEqual([exitCode, ""]);
    if (argv.length > 0)
      expect(JSON.parse(json.stderr)).toEqual({ ok: false, error: { code, message: expect.any(String) } });
  });

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

  it("where no server answers exits with 3 and changes nothing", async () => {
    const { exitCode, stderr } = await cli(["write", "/a", "x", "--node", "a"], {
      env: { MONGODB_URI: "mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=50" },
    });
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringMatching(/^error: mongodb:.*: EIO: .*; check that the storage is up.*\n$/),
    ]);
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

describe("a token", () => {
  it("that is an empty file does not serve without a token", async () => {
    expect(await cli(["mcp", "--http", "--port", "0", "--token-file", "/dev/null", ...inFolder])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--token-file /dev/null: it must contain one line, the token"),
    });
  });

  it("that is refused is not printed", async () => {
    const { exitCode, stderr } = await cli(["mcp", "--http", "--port", "0", ...inFolder], {
      env: { LANGGRAPH_MONGO_MEMORY_TOKEN: "geheimes wort" },
    });
    expect([exitCode, stderr]).toEqual([
      2,
      "error: LANGGRAPH_MONGO_MEMORY_TOKEN: it must contain one line, the token, of printable characters without spaces\n",
    ]);
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

  it("leaves a connection string otherwise as it is", async () => {
    const { stderr } = await cli(["ls", "--node", "n", "--uri", wrong[1] ?? ""]);
    expect(stderr).toContain("mongodb://user:***@127.0.0.1:9/?serverSelectionTimeoutMS=50: EIO");
  });
});
