import { describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { change, learnWith, said } from "../../helpers/scripted-learning.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

const { uri, name: dbName, client } = testDatabase();

async function people(files: Record<string, Record<string, string>>) {
  const collection = `memories ${randomUUID()}`;
  const store = new MongoMemoryStore({ client, dbName, memoriesCollection: collection, history: true });
  const open = (user: string, nodeId = "a"): Memory => store.memory({ nodeId, scope: "perUser", userId: user });
  for (const [user, texts] of Object.entries(files))
    for (const [path, content] of Object.entries(texts))
      await open(user)
        .with({ actor: { userId: user } })
        .write(path, content);
  const read = async (user: string, nodeId = "a"): Promise<Record<string, string>> => {
    const snapshot = await open(user, nodeId).snapshot();
    return Object.fromEntries(snapshot.files.map(({ path, content }) => [path, content]));
  };
  return { place: ["--uri", uri, "--db", dbName, "--memories-collection", collection], store, open, read };
}

const both = { old: { "/a.md": "1", "/b": "same", "/log/x": "old" }, new: { "/a.md": "2", "/b": "same" } };
const options = ["--user", "old", "--into-user", "new"];

describe("merge", () => {
  it("merges all memories of a user, and says what it did with each file that was not equal", async () => {
    const { place, open, read } = await people(both);
    await open("old", "b").write("/c", "c");
    const { exitCode, stdout, stderr } = await cli(["merge", ...place, ...options]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      'node "a", user "old" into node "a", user "new"',
      "beside    /a.md as /a-merged.md",
      "created   /log/x",
      'node "b", user "old" into node "b", user "new"',
      "created   /c",
      "merged 2 memories: 1 file beside, 1 file equal, 2 files created",
      "",
    ]);
    expect(await read("new")).toEqual({ "/a-merged.md": "1", "/a.md": "2", "/b": "same", "/log/x": "old" });
    expect(await read("new", "b")).toEqual({ "/c": "c" });
    expect(Object.keys(await read("old"))).toHaveLength(3);
  });

  it("changes and creates nothing with --dry-run", async () => {
    const { place, store, read } = await people({ old: both.old });
    const report = await cliJson(["merge", ...place, ...options, "--forget", "--dry-run"]);
    expect(report).toMatchObject({ dryRun: true, erased: false, memories: [{ files: [{}, {}, {}], proposals: 0 }] });
    expect(await read("new")).toEqual({});
    const addresses: string[] = [];
    for await (const { address } of store.listMemories()) addresses.push(JSON.stringify(address));
    expect(addresses).toHaveLength(1);
  });

  it.each<[string, string[], string[], string]>([
    ["a node", ["--node", "a"], ["--into-node", "b"], '{"nodeId":"b","scope":"global"}'],
    ["a thread", ["--thread", "t"], ["--into-thread", "u"], '{"nodeId":"a","scope":"perThread","threadId":"u"}'],
    [
      "a thread into a user",
      ["--node", "a", "--thread", "t"],
      ["--into-user", "u"],
      '{"nodeId":"a","scope":"perUser","userId":"u"}',
    ],
    [
      "a user into the same user of another node",
      ["--node", "a", "--user", "u"],
      ["--into-node", "b"],
      '{"nodeId":"b","scope":"perUser","userId":"u"}',
    ],
  ])("merges the memory of %s", async (_, from, into, destination) => {
    const { place, store } = await people({ u: { "/a": "1" } });
    await store.memory({ nodeId: "a" }).write("/a", "1");
    await store.memory({ nodeId: "a", scope: "perThread", threadId: "t" }).write("/a", "1");
    await cli(["merge", ...place, ...from, ...into]);
    const snapshot = await store.memory(JSON.parse(destination)).snapshot();
    expect(snapshot.files).toHaveLength(1);
  });

  it("erases the merged memories with --forget", async () => {
    const { place, read } = await people(both);
    const { exitCode, stdout } = await cli(["merge", ...place, ...options, "--forget", "--yes"]);
    expect([exitCode, stdout.split("\n").at(-2)]).toEqual([
      0,
      "merged and erased 1 memory: 1 file beside, 1 file equal, 1 file created",
    ]);
    expect([await read("old"), (await read("new"))["/a-merged.md"]]).toEqual([{}, "1"]);
    const again = await cli(["merge", ...place, ...options, "--forget", "--yes"]);
    expect([again.exitCode, again.stderr]).toEqual([
      1,
      "error: no memory was found; `memories` lists those that there are\n",
    ]);
  });

  it("asks before it erases", async () => {
    const { place, read } = await people(both);
    const { exitCode, stderr } = await cli(["merge", ...place, ...options, "--forget"], {
      terminal: true,
      stdin: "n\n",
    });
    expect([exitCode, stderr]).toEqual([
      1,
      "Erase 1 merged memory and all that is kept of them for good? [y/N] nothing was erased\n",
    ]);
    expect(Object.keys(await read("old"))).toHaveLength(3);
    expect(Object.keys(await read("new"))).toHaveLength(4);
  });

  it("erases nothing while a proposal waits or a file was skipped", async () => {
    const { place, open, read } = await people({ old: { "/a": "1", "/b": "1", "/c/d": "1" }, new: { "/c": "2" } });
    const skipped = await cli(["merge", ...place, ...options, "--forget", "--yes"]);
    expect([skipped.exitCode, skipped.stderr]).toEqual([
      1,
      'error: node "a", user "old": merged, but not erased: a file was skipped; move or rename it, and run it again\n',
    ]);
    await open("new").delete("/c");
    await learnWith(
      open("old"),
      ["a", "b"].map((name) => change("write", `/profile/${name}`, { text: name })),
      {
        messages: said("x"),
      },
    );
    const waiting = await cli(["merge", ...place, ...options, "--forget", "--yes"]);
    expect([waiting.exitCode, waiting.stderr]).toEqual([
      1,
      "proposals that stay there, and wait for a person: 2\n" +
        'error: node "a", user "old": merged, but not erased: proposals that wait for a person: 2; decide, and run it again\n',
    ]);
    expect(Object.keys(await read("old"))).toHaveLength(3);
  });

  it("exits with 1 if a file was skipped", async () => {
    const { place } = await people({ old: { "/c/d": "1" }, new: { "/c": "2" } });
    const { exitCode, stdout } = await cli(["merge", ...place, ...options]);
    expect([exitCode, stdout.split("\n")[1]]).toEqual([1, "skipped   /c/d: a parent of the path is a file"]);
  });

  it.each<[string[], string]>([
    [["--into-user", "new"], "name the memory to merge: pass --node, --thread or --user"],
    [["--user", "old"], "no destination was named; pass --into-node, --into-thread or --into-user"],
    [
      ["--user", "old", "--into-user", "old"],
      'node "a", user "old": a memory cannot be merged into itself; name another one',
    ],
    [["--user", "old", "--into-node", "b"], "--into-node needs --node, as it takes the files of one memory"],
    [[...options, "--into-thread", "t"], "--into-thread and --into-user exclude each other; pass one of them"],
    [
      [...options, "--forget"],
      "merge --forget asks before it erases, and there is no terminal to ask on; pass --yes, or --dry-run to see what it would do",
    ],
  ])("refuses %j", async (given, message) => {
    const { place, read } = await people(both);
    const { exitCode, stderr } = await cli(["merge", ...place, ...given]);
    expect([exitCode, stderr]).toEqual([2, `error: ${message}\n`]);
    expect(Object.keys(await read("new"))).toHaveLength(2);
  });
});
