import { describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { getHeadId } from "../../../src/mongodb/memories/documents/page-ids.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

const { uri, db, name: dbName, client } = testDatabase();

/** Two memories of a user with three files, and one of somebody else. */
async function people(): Promise<{ place: string[]; left: () => Promise<unknown[]>; collection: string }> {
  const collection = `memories ${randomUUID()}`;
  const store = new MongoMemoryStore({ client, dbName, memoriesCollection: collection });
  await store.memory({ nodeId: "a", scope: "perUser", userId: "ada" }).write("/one", "x");
  await store.memory({ nodeId: "b", scope: "perUser", userId: "ada" }).write("/one", "x");
  await store.memory({ nodeId: "b", scope: "perUser", userId: "ada" }).write("/two", "x");
  await store.memory({ nodeId: "a", scope: "perThread", threadId: "ada" }).write("/one", "x");
  await store.memory({ nodeId: "a" }).write("/one", "x");
  const left = async (): Promise<unknown[]> => {
    const found = await db
      .collection(collection)
      .find({}, { sort: { scope: 1, nodeId: 1 } })
      .toArray();
    return found.map(({ nodeId, scope }) => `${String(scope)} of ${String(nodeId)}`);
  };
  return { place: ["--uri", uri, "--db", dbName, "--memories-collection", collection], left, collection };
}

const everything = ["global of a", "perThread of a", "perUser of a", "perUser of b"];
const withoutAda = ["global of a", "perThread of a"];

describe("memories", () => {
  it.each<[string[], string[]]>([
    [[], ['node "a"', 'node "a", thread "ada"', 'node "a", user "ada"', 'node "b", user "ada"']],
    [
      ["--user", "ada"],
      ['node "a", user "ada"', 'node "b", user "ada"'],
    ],
    [["--thread", "ada"], ['node "a", thread "ada"']],
    [["--node", "a", "--scope", "perUser"], ['node "a", user "ada"']],
  ])("%j lists size, files, time and whose each is", async (options, names) => {
    const { place } = await people();
    const { exitCode, stdout, stderr } = await cli(["memories", ...place, ...options]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => /^ +(\d+) {2} +(\d files?) {2}(\S{24}) {2}(.*)$/.exec(line)?.slice(1));
    expect(rows.map((row) => row?.[3])).toEqual(names);
    expect(rows.map((row) => row?.[1])).toEqual(
      names.map((name) => (name.startsWith('node "b"') ? "2 files" : "1 file")),
    );
  });

  it("has a header on a terminal", async () => {
    const { place } = await people();
    const { stdout } = await cli(["memories", ...place, "--user", "ada"], { terminal: true, env: { NO_COLOR: "1" } });
    const [header, ...rows] = stdout.trimEnd().split("\n");
    expect(header).toBe("       bytes        files  changed                   memory");
    expect(rows.map((row) => row.slice(53))).toEqual(['node "a", user "ada"', 'node "b", user "ada"']);
  });

  it("prints JSON lines", async () => {
    const { place } = await people();
    const { stdout } = await cli(["memories", ...place, "--user", "ada", "--json"]);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(
      ["a", "b"].map((nodeId, index) => ({
        address: { nodeId, scope: "perUser", userId: "ada" },
        sizeBytes: expect.any(Number),
        textBytes: expect.any(Number),
        files: index + 1,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      })),
    );
  });

  it("says that there is none, and makes nothing", async () => {
    const missing = `missing_${randomUUID()}`;
    const run = await cli(["memories", "--uri", uri, "--db", missing]);
    expect(run).toEqual({ exitCode: 1, stdout: "", stderr: "no memory was found\n" });
    expect(await client.db(missing).listCollections().toArray()).toEqual([]);
  });
});

describe("forget", () => {
  it("shows what would go, asks, and erases it where the answer is yes", async () => {
    const { place, left } = await people();
    const { exitCode, stdout, stderr } = await cli(["forget", ...place, "--user", "ada"], {
      terminal: true,
      stdin: "Yes\n",
    });
    expect([exitCode, stdout]).toEqual([0, "erased 2 memories with 3 files\nno text mentions the id any more\n"]);
    expect(stderr).toMatch(
      /^ +\d+ {2} +1 file .*node "a", user "ada"\n.*node "b", user "ada"\nErase 2 memories with 3 files and all that is kept of them for good\? \[y\/N\] $/,
    );
    expect(await left()).toEqual(withoutAda);
  });

  it.each(["n\n", "\n", "", "yes please\n"])("erases nothing where the answer is %j", async (stdin) => {
    const { place, left } = await people();
    const { exitCode, stdout, stderr } = await cli(["forget", ...place, "--user", "ada"], { terminal: true, stdin });
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/nothing was erased\n$/);
    expect(await left()).toEqual(everything);
  });

  it("refuses to erase without a terminal and without --yes", async () => {
    const { place, left } = await people();
    const { exitCode, stderr } = await cli(["forget", ...place, "--user", "ada"], { stdin: "y\n" });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/no terminal to ask on; pass --yes, or --dry-run/)]);
    expect(await left()).toEqual(everything);
  });

  it("--dry-run only shows, --yes erases, and once more there is nothing", async () => {
    const { place, left } = await people();
    const dry = await cli(["forget", ...place, "--user", "ada", "--dry-run"]);
    expect(dry.stdout).toMatch(/node "b", user "ada"\nto erase: 2 memories with 3 files\n$/);
    const addresses = ["a", "b"].map((nodeId) => ({ nodeId, scope: "perUser", userId: "ada" }));
    expect(await cliJson(["forget", ...place, "--user", "ada", "--dry-run"])).toEqual({
      ok: true,
      dryRun: true,
      memories: 2,
      files: 3,
      addresses,
    });
    expect(await left()).toEqual(everything);
    expect(await cliJson(["forget", ...place, "--user", "ada", "--yes"])).toEqual({
      ok: true,
      dryRun: false,
      memories: 2,
      files: 3,
      versions: 0,
      proposals: 0,
      mentions: { memories: 0, addresses: [], proposals: 0, items: 0 },
    });
    expect(await left()).toEqual(withoutAda);
    expect(await cliJson(["forget", ...place, "--user", "ada", "--yes"])).toEqual({
      ok: true,
      dryRun: false,
      memories: 0,
      files: 0,
      versions: 0,
      proposals: 0,
      mentions: { memories: 0, addresses: [], proposals: 0, items: 0 },
    });
  });

  it("shows what still mentions the user", async () => {
    const { place } = await people();
    await cli(["write", "/about-ada", "--node", "c", ...place], { stdin: "Ask ada." });
    const { stdout } = await cli(["forget", ...place, "--user", "ada", "--yes"]);
    expect(stdout).toMatch(
      /^erased 2 memories with 3 files\nstill mentioned in 1 memory, 0 proposals and 0 items:\n {2}node "c"\nredact --text <id> --dry-run /,
    );
  });

  it("shows the first of many, and reads none of them where it shows none", async () => {
    const { place, collection } = await people();
    const many = Array.from({ length: 1_200 }, (_, index) => ({
      _id: getHeadId({ nodeId: `n${index}`, scope: "perUser", userId: "ada" }),
      nodeId: `n${index}`,
      scope: "perUser",
      userId: "ada",
      key: new ObjectId(),
      revision: 1,
      data: { a: "x" },
    }));
    await db.collection<{ _id: string }>(collection).insertMany(many);
    const { stdout } = await cli(["forget", ...place, "--user", "ada", "--dry-run"]);
    expect(stdout.trimEnd().split("\n").slice(-2)).toEqual([
      "and 1182 more",
      "to erase: 1,202 memories with 1,203 files",
    ]);
    const { addresses, ...counts } = await cliJson(["forget", ...place, "--user", "ada", "--dry-run"]);
    expect([new Set(addresses as object[]).size, counts]).toEqual([
      1_202,
      { ok: true, dryRun: true, memories: 1_202, files: 1_203 },
    ]);
    await db.command({ profile: 2 });
    expect(await cliJson(["forget", ...place, "--user", "ada", "--yes"])).toMatchObject({
      memories: 1_202,
      files: 1_203,
    });
    await db.command({ profile: 0 });
    expect(
      await db
        .collection("system.profile")
        .countDocuments({ "command.find": collection, "command.sort": { $exists: true } }),
    ).toBe(0);
  });

  it.each<[string[], string[]]>([
    [
      ["--node", "a"],
      ["perThread of a", "perUser of a", "perUser of b"],
    ],
    [
      ["--node", "a", "--thread", "ada"],
      ["global of a", "perUser of a", "perUser of b"],
    ],
    [
      ["--node", "b", "--user", "ada"],
      ["global of a", "perThread of a", "perUser of a"],
    ],
    [
      ["--thread", "ada"],
      ["global of a", "perUser of a", "perUser of b"],
    ],
  ])("of %j erases that and no more", async (options, expected) => {
    const { place, left } = await people();
    await cliJson(["forget", ...place, ...options, "--yes"]);
    expect(await left()).toEqual(expected);
  });

  it.each([
    [[], /name what to erase: pass --node, --thread or --user/],
    [["--user", "ada", "--thread", "ada"], /--thread and --user exclude each other/],
    [["--user", ""], /--user: id must be a non-empty string/],
  ])("refuses %j", async (options, message) => {
    const { place, left } = await people();
    const { exitCode, stderr } = await cli(["forget", ...place, ...options, "--yes"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await left()).toEqual(everything);
  });

  it("takes versions with it, and the id out of the histories of others, also where no memory is left", async () => {
    const { name } = testDatabase();
    const kept = new MongoMemoryStore({ client, dbName: name, history: true });
    const place = ["--uri", uri, "--db", name];
    const ofAda = kept.memory({ nodeId: "a", scope: "perUser", userId: "ada" });
    const ofAll = kept.memory({ nodeId: "a" }).with({ actor: { userId: "ada", node: "n" } });
    // A hundred changes leave the document of their memory.
    for (let index = 0; index < 100; index += 1) await ofAda.write("/a", String(index));
    await ofAll.write("/a", "x");
    expect((await cli(["forget", ...place, "--user", "ada", "--yes"])).stdout).toBe(
      "erased 1 memory with 1 file and 100 versions\nno text mentions the id any more\n",
    );
    await ofAll.write("/b", "x");
    expect((await cli(["forget", ...place, "--user", "ada", "--yes"])).stdout).toBe(
      "erased 0 memories with 0 files\nno text mentions the id any more\n",
    );
    const { stdout } = await cli(["log", ...place, "--node", "a", "--json"]);
    expect(
      stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => (JSON.parse(line) as { actor: unknown }).actor),
    ).toEqual([{ node: "n" }, { node: "n" }]);
  });

  it("makes nothing in a database of a mistyped name, and leaves a collection of another program as it is", async () => {
    const missing = `missing_${randomUUID()}`;
    expect((await cli(["forget", "--uri", uri, "--db", missing, "--user", "ada", "--yes"])).stdout).toBe(
      "erased 0 memories with 0 files\n",
    );
    expect(await client.db(missing).listCollections().toArray()).toEqual([]);
    const shop = db.collection(`shop ${randomUUID()}`);
    await shop.insertMany([
      { userId: "ada", price: 5 },
      { nodeId: "a", scope: "perUser", userId: "ada" },
      { userId: "ada", price: 6 },
    ]);
    const { exitCode, stderr } = await cli([
      "forget",
      "--uri",
      uri,
      "--db",
      dbName,
      "--memories-collection",
      shop.collectionName,
      "--user",
      "ada",
      "--yes",
    ]);
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/another program/)]);
    expect(await shop.countDocuments()).toBe(3);
    expect(await shop.indexes()).toHaveLength(1);
  });
});
