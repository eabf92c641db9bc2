import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import {
  type Memory,
  type MemoryProposal,
  MemoryNode,
  mountMemories,
  MongoMemoryStore,
  tidy,
} from "../../../src/index.js";
import { readAll } from "../../helpers/read-all.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const folder = testFolder();
const by = { userId: "ada" };

const untidy = {
  "/a.md": "# Ada\n- likes tea\n- rides a \u200bbike\n- likes tea\n",
  "/empty.md": "",
  "/old.md": "---\nstale_after: 2020-01-01\n---\nthe office is closed\n",
  "/right.md": "fine\n",
};

async function untidyMemory(nodeId = randomUUID()): Promise<Memory> {
  const memory = store.memory({ nodeId }, { paths: "posix" });
  for (const [path, content] of Object.entries(untidy)) await memory.write(path, content);
  return memory;
}

async function waiting(memory: Memory): Promise<MemoryProposal[]> {
  return memory.proposals ? readAll(memory.proposals.list()) : [];
}

async function texts(memory: Memory): Promise<Record<string, string>> {
  const { files } = await memory.snapshot();
  return Object.fromEntries(files.map(({ path, content }) => [path, content]));
}

describe("tidy with propose", () => {
  it("proposes one change for each file, all of one run, and changes nothing", async () => {
    const memory = await untidyMemory();
    const findings = await tidy(memory, { propose: true });
    expect(await texts(memory)).toEqual(untidy);
    const proposals = await waiting(memory);
    expect(proposals.map(({ command, path, to }) => [command, path, to])).toEqual([
      ["edit", "/a.md", null],
      ["delete", "/empty.md", null],
      ["rename", "/old.md", "/archive/old.md"],
    ]);
    expect(new Set(proposals.map(({ actor }) => actor?.runId)).size).toBe(1);
    expect(proposals.map(({ actor }) => actor?.client)).toEqual(["tidy", "tidy", "tidy"]);
    expect(new Set(findings.map(({ proposal }) => proposal))).toEqual(new Set(proposals.map(({ id }) => id)));
  });

  it("tidies as it proposes, and the run can be undone", async () => {
    const memory = await untidyMemory();
    await tidy(memory, { propose: true });
    const proposals = await waiting(memory);
    for (const { id } of proposals) await memory.proposals?.approve(id, { by });
    expect(await texts(memory)).toEqual({
      "/a.md": "# Ada\n- likes tea\n- rides a bike\n",
      "/archive/old.md": untidy["/old.md"],
      "/right.md": "fine\n",
    });
    await memory.history?.revert({ runId: proposals[0]?.actor?.runId ?? "" });
    expect(await texts(memory)).toEqual(untidy);
  });

  it("proposes the same remedy once, and again after the file was written again", async () => {
    const memory = await untidyMemory();
    await tidy(memory, { propose: true });
    const [first, ...others] = await waiting(memory);
    await memory.proposals?.reject(first?.id ?? "", { by });
    await tidy(memory, { propose: true });
    expect((await waiting(memory)).map(({ id }) => id)).toEqual(others.map(({ id }) => id));
    await memory.append("/a.md", "- more");
    await tidy(memory, { propose: true });
    expect(await waiting(memory)).toHaveLength(3);
  });

  it("says which remedy a rule refuses, and asks nobody else", async () => {
    const nodeId = randomUUID();
    await untidyMemory(nodeId);
    const rules = [
      { path: "/a.md", access: "read" },
      { path: "/empty.md", access: "ask" },
    ] as const;
    const node = new MemoryNode({ store, nodeId, paths: "posix", rules: [...rules] });
    const findings = await tidy(node.memory(), { propose: true });
    const results = findings.map(({ path, kind, proposal, refused }) => [path, kind, proposal !== undefined, refused]);
    expect(results).toEqual([
      ["/a.md", "hidden", false, '/a.md is read-only here (access "read")'],
      ["/a.md", "duplicate", false, '/a.md is read-only here (access "read")'],
      ["/empty.md", "empty", true, undefined],
      ["/old.md", "stale", true, undefined],
    ]);
  });

  it("proposes in the memory of a mount", async () => {
    const [own, team] = [store.memory({ nodeId: randomUUID() }), await untidyMemory()];
    await tidy(mountMemories({ "/": own, "/team": team }), { propose: true });
    expect((await waiting(team)).map(({ path, to }) => to ?? path)).toEqual(["/a.md", "/empty.md", "/archive/old.md"]);
  });
});

describe("the command tidy", () => {
  it("prints a line for each finding, and proposes with --propose", async () => {
    const nodeId = randomUUID();
    const memory = await untidyMemory(nodeId);
    const target = ["--uri", uri, "--db", dbName, "--node", nodeId];
    expect(await cli(["tidy", ...target, "--max-chars", "50"])).toEqual({
      exitCode: 0,
      stderr: "",
      stdout:
        "/a.md:3: hidden: hidden characters: \\u200b\n" +
        "/a.md:4: duplicate: the line repeats line 2 of /a.md\n" +
        "/empty.md: empty: the file has no text\n" +
        "/old.md: stale: the note says that it is stale after 2020-01-01\n" +
        "/old.md: large: 53 characters are more than the 50 that a connector shows; split the file\n" +
        "5 findings\n",
    });
    expect(await waiting(memory)).toEqual([]);
    const proposed = await cliJson(["tidy", ...target, "--propose", "--ignore", "/old.md"]);
    expect(proposed).toMatchObject({
      ok: true,
      findings: [{ path: "/a.md" }, { path: "/a.md" }, { path: "/empty.md" }],
    });
    expect(await waiting(memory)).toHaveLength(2);
  });

  it("refuses to propose in a folder, and a pattern that it cannot read", async () => {
    const dir = folderWith(folder, { "a.md": "" });
    expect(await cli(["tidy", "--dir", dir])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("1 finding\n"),
    });
    expect(await cli(["tidy", "--dir", dir, "--propose"])).toMatchObject({ exitCode: 2 });
    expect(await cli(["tidy", "--dir", dir, "--ignore", "/../a"])).toMatchObject({ exitCode: 2 });
  });

  it.each(["{a,b}", "/{a,b}", "profile", "/a**"])("refuses the pattern %s of --ignore", async (pattern) => {
    const { exitCode, stderr } = await cli(["tidy", "--dir", folder, "--ignore", pattern]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`--ignore ${JSON.stringify(pattern)}: `)]);
  });
});
