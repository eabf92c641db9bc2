import { describe, expect, it } from "@jest/globals";
import { ObjectId } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { startedOfficialStore } from "../../helpers/official-store.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri } = testDatabase();

async function newSource(collectionName = "store"): Promise<{ name: string; argv: string[] }> {
  const { name } = testDatabase();
  const official = await startedOfficialStore(client, { dbName: name, collectionName });
  for (let index = 0; index < 7; index += 1) await official.put(["users", "ada"], `k${index}`, { index });
  await official.put(["memory", "assistant", "global"], "/notes/today", { content: "buy milk" });
  return { name, argv: ["migrate", "mongodb-store", "--uri", uri, "--db", name] };
}

describe("migrate mongodb-store", () => {
  it("copies items and files of memories, and changes nothing the second time", async () => {
    const { name, argv } = await newSource();
    expect(await cliJson([...argv, "--dry-run"])).toMatchObject({
      ok: true,
      dryRun: true,
      read: 8,
      copied: 8,
      unchanged: 0,
    });
    expect((await client.db(name).listCollections().toArray()).map((one) => one.name)).toEqual(["store"]);
    expect(await cliJson(argv)).toMatchObject({ ok: true, dryRun: false, read: 8, copied: 8, refused: 0 });
    const store = new MongoMemoryStore({ client, dbName: name });
    expect((await store.get(["users", "ada"], "k3"))?.value).toEqual({ index: 3 });
    expect(await store.memory({ nodeId: "assistant" }).read("/notes/today")).toBe("buy milk");
    expect(await cliJson([...argv, "--dry-run"])).toMatchObject({ copied: 0, unchanged: 8 });
    expect((await cli(argv)).stdout).toBe(
      "copied: 0 items; there already: 8; skipped (expired, or directories): 0; refused: 0\n",
    );
  });

  it("copies from another database into collections of its own", async () => {
    const { name: from } = await newSource("old");
    const { name: to } = testDatabase();
    const argv = [
      "migrate",
      "mongodb-store",
      "--uri",
      uri,
      "--db",
      to,
      "--from-uri",
      uri,
      "--from-db",
      from,
      "--from-collection",
      "old",
    ];
    expect(await cliJson([...argv, "--items-collection", "things", "--no-text-search"])).toMatchObject({ copied: 8 });
    const things = client.db(to).collection("things");
    expect(await things.countDocuments()).toBe(7);
    expect((await things.indexes()).map((index) => index.name)).toEqual(["_id_", "items_by_namespace"]);
  });

  it("reads the database of the destination where --from-uri and --from-db name none", async () => {
    const { name } = await newSource("old");
    const argv = [
      "migrate",
      "mongodb-store",
      "--uri",
      uri,
      "--db",
      name,
      "--from-uri",
      uri,
      "--from-collection",
      "old",
      "--dry-run",
    ];
    expect(await cliJson(argv)).toMatchObject({ copied: 8 });
  });

  it("goes on after a document, and tells what it refused", async () => {
    const { name, argv } = await newSource();
    const documents = await client.db(name).collection("store").find().sort({ _id: 1 }).toArray();
    await client
      .db(name)
      .collection("store")
      .insertOne({
        _id: new ObjectId("f".repeat(24)),
        namespace: ["a:b"],
        key: "k",
        value: {},
        createdAt: new Date(),
        updatedAt: new Date(),
      });
    const after = JSON.stringify({ $oid: String(documents[4]?._id) });
    const { exitCode, stdout, stderr } = await cli([...argv, "--resume-after", after]);
    expect([exitCode, stdout]).toEqual([
      1,
      "copied: 3 items; there already: 0; skipped (expired, or directories): 0; refused: 1\n",
    ]);
    expect(stderr).toMatch(/^refused: \[\["a:b"\],"k"\]: .+\n$/);
    const json = await cli([...argv, "--json"]);
    expect([json.exitCode, JSON.parse(json.stdout)]).toEqual([
      1,
      expect.objectContaining({
        ok: false,
        refused: 1,
        refusals: [expect.objectContaining({ namespace: ["a:b"], key: "k" })],
      }),
    ]);
  });

  it("says what is wrong where there is no such collection, name or document", async () => {
    const { name, argv } = await newSource();
    expect(await cli([...argv, "--from-collection", "other"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`no collection other of the database ${name}`),
    });
    expect(await cli([...argv, "--resume-after", "x"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--resume-after"),
    });
    expect(await cli([...argv, "--items-collection", "a$b\0"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--items-collection"),
    });
  });
});

describe("the progress bar", () => {
  it("is drawn on a terminal only, on the standard error", async () => {
    const { argv } = await newSource();
    const drawn = await cli(argv, { terminal: true });
    expect(drawn.stderr).toMatch(/items \[.*\] \d\/8/);
    expect(drawn.stdout).not.toContain("[");
    expect((await cli(argv)).stderr).toBe("");
  });
});
