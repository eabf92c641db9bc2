import { describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { proposeChange } from "../../../src/core/propose-change.js";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { findOkfFaults } from "../../helpers/okf-rules.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const { uri, name: dbName, client } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const parent = testFolder();
const place = ["--uri", uri, "--db", dbName];

async function readFolder(dir: string): Promise<Record<string, string>> {
  const { files } = await openDirectoryMemory({ dir }).snapshot();
  expect(findOkfFaults(files)).toEqual([]);
  return Object.fromEntries(files.map(({ path, content }) => [path, content]));
}

async function exportMemory(memory: Memory): Promise<{ dir: string; bundle: Record<string, string> }> {
  const dir = folderWith(parent);
  const target = ["--node", memory.address.nodeId, "--to-dir", dir, "--format", "okf"];
  expect(await cliJson(["export", ...place, ...target])).toMatchObject({ ok: true, format: "okf", unchanged: 0 });
  return { dir, bundle: await readFolder(dir) };
}

/** Lets a program propose a file, and a person approve it. */
async function approveFile(memory: Memory, path: string): Promise<void> {
  const origin = { reason: "said", sources: ["version:1", "message:2"], trust: "person", model: "m" } as const;
  const proposal = {
    id: randomUUID(),
    actor: { client: "learn" },
    origin: { ...origin, sources: [...origin.sources] },
  };
  const id = await proposeChange(memory, proposal, (asking) => asking.write(path, "tea"));
  await memory.proposals?.approve(id ?? "", { by: { userId: "carla" } });
}

describe("export --format okf", () => {
  it("says who wrote, who approved, and what happened", async () => {
    const memory = store.memory(freshAddress());
    await memory.with({ actor: { userId: "ada" } }).write("/person.md", "by hand");
    await memory.with({ actor: { agent: "helper", runId: "r", userId: "ada" } }).write("/agent.md", "by an agent");
    await memory.write("/nobody.md", "x");
    await memory.with({ actor: { client: "a\n## job" } }).rename("/nobody.md", "/moved.md");
    await memory.delete("/moved.md");
    await approveFile(memory, "/approved.md");
    const { bundle } = await exportMemory(memory);
    expect(Object.keys(bundle)).toEqual(["/agent.md", "/approved.md", "/index.md", "/log.md", "/person.md"]);
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
    expect(bundle["/person.md"]).toMatch(new RegExp(`^generated: \\{ by: "human:ada", at: ${time} \\}$`, "m"));
    expect(bundle["/agent.md"]).toMatch(new RegExp(`^generated: \\{ by: "helper/unknown", at: ${time} \\}$`, "m"));
    expect(bundle["/approved.md"]).toMatch(new RegExp(`^verified: \\[\\{ by: "human:carla", at: ${time} \\}\\]$`, "m"));
    expect(bundle["/approved.md"]).toMatch(/^sources: \[\{ resource: "version:1" \}, \{ resource: "message:2" \}\]$/m);
    expect(bundle["/log.md"]?.replaceAll(/^## .*/gm, "## day").split("\n")).toEqual([
      "# Log",
      "",
      "## day",
      "",
      expect.stringMatching(/^\* \*\*Creation\*\*: \[\/approved\.md\]\(\/approved\.md\)/),
      "* **Deletion**: /moved.md",
      "* **Rename**: /moved.md, before /nobody.md by process:a ## job",
      "* **Creation**: /nobody.md",
      "* **Creation**: [/agent.md](/agent.md) by helper/unknown",
      "* **Creation**: [/person.md](/person.md) by human:ada",
      "",
    ]);
  });

  it("claims no approval that was of an earlier file at the path", async () => {
    const memory = store.memory(freshAddress());
    await approveFile(memory, "/a.md");
    await memory.delete("/a.md");
    await memory.write("/a.md", "another");
    expect((await exportMemory(memory)).bundle["/a.md"]).not.toMatch(/^(?:verified|sources):/m);
  });

  it("gives the same files with the same times when the bundle moves in again", async () => {
    const memory = store.memory(freshAddress());
    await memory.write("/notes/today", "---\ntype: Fact\n---\r\nTea.");
    await memory.append("/notes/today", "Milk.");
    await memory.write("/index.md", "");
    const { dir } = await exportMemory(memory);
    const again = store.memory(freshAddress());
    await cliJson(["import", dir, "--from", "okf", ...place, "--node", again.address.nodeId]);
    expect((await again.snapshot()).files).toEqual((await memory.snapshot()).files);
  });

  it("continues after an interruption, and replaces changed files only with --overwrite", async () => {
    const memory = store.memory(freshAddress());
    await memory.write("/a", "1");
    const { dir, bundle } = await exportMemory(memory);
    const target = ["export", ...place, "--node", memory.address.nodeId, "--to-dir", dir, "--format", "okf"];
    expect((await cli(target)).stdout).toBe("exported 1 memory: 0 files written, 3 files there already\n");
    await memory.write("/a", "2");
    const refused = await cli(target);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      `error: the folder ${dir}: /a.md: EEXIST: path already exists; name an empty folder, or pass --overwrite to ` +
        "replace files that have other contents\n",
    ]);
    expect(await readFolder(dir)).toEqual(bundle);
    expect((await cli([...target, "--overwrite"])).exitCode).toBe(0);
    expect((await readFolder(dir))["/a.md"]).toMatch(/\n2$/);
  });

  it("leaves no redacted text in the bundle", async () => {
    const memory = store.memory(freshAddress());
    await memory.with({ actor: { userId: "ada" } }).write("/secret-name", "key 123");
    await memory.delete("/secret-name");
    await memory.history?.redact({ text: "secret-name" });
    const { bundle } = await exportMemory(memory);
    expect(JSON.stringify(bundle)).not.toMatch(/secret-name|key 123/);
  });

  it("is the form of a folder only", async () => {
    const run = await cli(["export", "x.jsonl", ...place, "--node", "a", "--format", "okf"]);
    expect([run.exitCode, run.stderr]).toEqual([2, "error: --format is the form of a folder; it goes with --to-dir\n"]);
  });
});

describe("export --format markdown", () => {
  it("writes the files as they are, as --to-dir alone does", async () => {
    const memory = store.memory(freshAddress());
    const text = "---\na: 1\n---\r\n";
    await memory.write("/notes/a.md", text);
    const dir = folderWith(parent);
    await cli(["export", ...place, "--node", memory.address.nodeId, "--to-dir", dir, "--format", "markdown"]);
    const { files } = await openDirectoryMemory({ dir }).snapshot();
    expect(files.map(({ path, content }) => [path, content])).toEqual([["/notes/a.md", text]]);
  });
});
