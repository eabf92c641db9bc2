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

let counted = 0;

/** Lines that repeat nothing. */
function manyLines(count: number): string {
  return Array.from({ length: count }, () => `the note has line ${(counted += 1)}\n`).join("");
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

/** Approves everything that tidy proposes. Returns the run. */
async function approveAll(memory: Memory): Promise<string> {
  const proposals = await waiting(memory);
  for (const { id } of proposals) await memory.proposals?.approve(id, { by });
  return proposals[0]?.actor?.runId ?? "";
}

async function memoryWith(files: Readonly<Record<string, string>>): Promise<Memory> {
  const memory = store.memory({ nodeId: randomUUID() }, { paths: "posix" });
  for (const [path, content] of Object.entries(files)) await memory.write(path, content);
  return memory;
}

async function mended(
  files: Readonly<Record<string, string>>,
  options: Parameters<typeof tidy>[1] = {},
): Promise<object> {
  const memory = await memoryWith(files);
  await tidy(memory, { ...options, propose: true });
  await approveAll(memory);
  return texts(memory);
}

describe("the remedies of tidy", () => {
  it("leave nothing to tidy, whatever was found, and can be undone", async () => {
    const long = "Ada moved from Berlin to Oslo in May of that year.";
    const files = {
      ...untidy,
      "/copy.md": "fine\n",
      "/home.md": `${long}\n\n[tea](gone.md) and [[Nowhere]]\n`,
      "/large.md": manyLines(40),
      "/near.md": "FINE!\n",
      "/other.md": `# Other\n${long.toUpperCase()}\n${long}\nand more\n`,
    };
    const memory = await memoryWith(files);
    const kinds = new Set((await tidy(memory, { propose: true, maxChars: 500 })).map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual([
      "deadLink",
      "duplicate",
      "empty",
      "hidden",
      "large",
      "nearDuplicate",
      "stale",
    ]);
    const runId = await approveAll(memory);
    expect(await tidy(memory, { maxChars: 500 })).toEqual([]);
    await memory.history?.revert({ runId });
    expect(await texts(memory)).toEqual(files);
  });

  it("tell the person why", async () => {
    const memory = await untidyMemory();
    await tidy(memory, { propose: true });
    expect((await waiting(memory)).map(({ path, origin }) => [path, origin])).toEqual([
      ["/a.md", { reason: "hidden characters: \\u200b\nthe line repeats line 2 of /a.md" }],
      ["/empty.md", { reason: "the file has no text" }],
      ["/old.md", { reason: "the note says that it is stale after 2020-01-01" }],
    ]);
    const [first] = await waiting(memory);
    await memory.proposals?.approve(first?.id ?? "", { by });
    const [version] = await readAll(memory.history?.list({ path: "/a.md" }) ?? []);
    expect([version?.operation, version?.sources, version?.trust]).toEqual(["modified", undefined, undefined]);
  });

  it("keep a repeated line where it was first, in the order of paths", async () => {
    const long = "Ada moved from Berlin to Oslo in May.";
    const files = {
      "/a.md": `- ${long}\n`,
      "/b.md": `- tea\r\n- ${long}\r\n- milk\r\n`,
      "/c.md": `ada moved, from Berlin to Oslo in May\nx\n`,
    };
    expect(await mended(files)).toEqual({ "/a.md": `- ${long}\n`, "/b.md": "- tea\r\n- milk\r\n", "/c.md": "x\n" });
  });

  it.each([
    ["keeps the words of a link", "see [the pot](pot.md).", "see the pot."],
    ["keeps them with marks of their own", "see [the **big** `[pot]`](pot.md 'a pot').", "see the **big** `[pot]`."],
    ["keeps a picture's words", "![a pot](pot.png) here", "a pot here"],
    ["mends links in links", "[![a pot](pot.png)](pot.md)", "a pot"],
    ["keeps the words of a wiki link", "see [[pot|the pot]], [[pot]] and [[pot#lid]]", "see the pot, pot and pot#lid"],
    [
      "keeps other links",
      "[tea](tea.md) [pot](pot.md) [web](https://a.org/pot.md)",
      "[tea](tea.md) pot [web](https://a.org/pot.md)",
    ],
    ["leaves code alone", "`[pot](pot.md)` [pot](pot.md)", "`[pot](pot.md)` pot"],
    [
      "leads to the file of the same name",
      "[kettle](kettle.md#lid)",
      "[kettle](kitchen/the%20old%20one/kettle.md#lid)",
    ],
    ["chooses none of several files of the same name", "[cup](cup.md)", "cup"],
    ["leads no note to itself", "[a](b/a.md)", "a"],
    ["leads to no directory", "[x](gone/recipes.md)", "x"],
    ["keeps all that follows the path", "[k](kettle.md?a=1#b#c)", "[k](kitchen/the%20old%20one/kettle.md?a=1#b#c)"],
    ["keeps blanks in brackets", "[k](<kettle.md#the lid>)", "[k](<kitchen/the%20old%20one/kettle.md#the lid>)"],
    ["removes a link in its title", '[a](pot.md "[[pot]]") end', "a end"],
  ])("of a dead link %s", async (_name, before, after) => {
    const others = {
      "/recipes/y.md": "y",
      "/tea.md": "tea",
      "/kitchen/the old one/kettle.md": "a kettle",
      "/x/cup.md": "one cup",
      "/y/cup.md": "two cups",
    };
    expect(await mended({ ...others, "/a.md": `${before}\n` })).toEqual({ ...others, "/a.md": `${after}\n` });
  });

  it("split a large file at its headings, into files that lead to one another", async () => {
    const parts = ["Oslo", "Rome", "Wien"].map((name) => `# ${name}\n\n${manyLines(4)}`);
    const content = `---\ndescription: trips\n---\n${parts.join("\n")}`;
    const files = { "/trips.md": content, "/trips-2.md": "taken\n" };
    const split = (await mended(files, { maxChars: 190 })) as Record<string, string>;
    expect(Object.keys(split)).toEqual(["/trips-2.md", "/trips-3.md", "/trips-4.md", "/trips.md"]);
    expect(split["/trips.md"]).toMatch(
      /^---\ndescription: trips\n---\n# Oslo[^]*Continued in \[trips-3.md\]\(trips-3.md\).\n$/,
    );
    expect(split["/trips-3.md"]).toMatch(/^# Rome[^]*Continued in \[trips-4.md\]\(trips-4.md\).\n$/);
    expect(split["/trips-4.md"]).toMatch(/^# Wien/);
  });

  it("cut no block of code, keep the line ends, and lead to files with any name", async () => {
    const code = `\`\`\`sh\r\n${"# a\r\nrun\r\n".repeat(15)}\`\`\`\r\n`;
    const note = (name: string): string => manyLines(5).replaceAll("\n", `${name}\r\n`);
    const files = { "/a:[b] `c`.md": `${note("x")}\r\n${code}\r\n${note("y")}` };
    const memory = await memoryWith(files);
    await tidy(memory, { propose: true, maxChars: 320 });
    await approveAll(memory);
    expect(await tidy(memory, { maxChars: 320 })).toEqual([]);
    const parts = Object.values(await texts(memory));
    expect(parts.filter((text) => text.includes(code.trim()))).toHaveLength(1);
    expect(parts.join("").replaceAll("\r\n", "")).not.toContain("\n");
  });

  it.each([
    ["a file that is no note", "/a.json", "[1, 2, 3, 4]\n".repeat(100), "only notes are split"],
    ["few characters", "/a.md", manyLines(20), "too few"],
    ["a long front matter", "/a.md", `---\nd: ${"x".repeat(90)}\n---\n${manyLines(9)}`, "front matter"],
    ["a long name", `/${"n".repeat(255)}`, manyLines(99), "names of its parts"],
    ["a long block of code", "/a.md", `\`\`\`\n${manyLines(99)}`, "a block of code"],
  ])("say that %s cannot be split, and propose the others", async (_name, path, content, why) => {
    const memory = await memoryWith({ [path]: `${content}hid\u200bden\n` });
    const maxChars = why === "too few" ? 40 : why === "front matter" ? 130 : 1300;
    const found = await tidy(memory, { propose: true, maxChars });
    expect(found.filter(({ refused }) => refused !== undefined)).toMatchObject([
      { kind: "large", refused: expect.stringContaining(why) },
    ]);
    expect((await waiting(memory)).map(({ command }) => command)).toEqual(["edit"]);
  });

  it("propose no part of a file if the guard refuses one", async () => {
    const nodeId = randomUUID();
    const guard = ({ path }: { path: string }): void => {
      if (path === "/a-3.md") throw new Error("no");
    };
    const memory = store.memory({ nodeId }, { paths: "posix" });
    await memory.write("/a.md", manyLines(60));
    const node = new MemoryNode({ store, nodeId, paths: "posix", guard });
    expect(await tidy(node.memory(), { propose: true, maxChars: 500 })).toMatchObject([{ refused: "no" }]);
    expect(await waiting(memory)).toEqual([]);
  });

  it("split a file once for each largest size", async () => {
    const memory = await memoryWith({ "/a.md": manyLines(40) });
    await tidy(memory, { propose: true, maxChars: 700 });
    const first = await waiting(memory);
    await tidy(memory, { propose: true, maxChars: 400 });
    const others = (await waiting(memory)).slice(first.length);
    expect(others.map(({ path }) => path)).toEqual(expect.arrayContaining(["/a-2.md", "/a.md"]));
  });

  it("archive a note again, beside the one that is in the archive", async () => {
    const files = { "/old.md": untidy["/old.md"], "/archive/old.md": "before\n" };
    expect(await mended(files)).toEqual({ "/archive/old.md": "before\n", "/archive/old-2.md": untidy["/old.md"] });
  });

  it("tell a person the first of many reasons", async () => {
    const memory = await memoryWith({ "/a.md": "[a](gone.md) ".repeat(1000) });
    await tidy(memory, { propose: true });
    const [proposal] = await waiting(memory);
    expect(proposal?.origin?.reason).toHaveLength(2000);
  });

  it("are the same for a large file after a part was approved", async () => {
    const memory = await memoryWith({ "/a.md": manyLines(60) });
    await tidy(memory, { propose: true, maxChars: 500 });
    const [first, ...others] = await waiting(memory);
    expect(others.at(-1)).toMatchObject({ command: "edit", path: "/a.md" });
    await memory.proposals?.approve(first?.id ?? "", { by });
    // Its link leads to a part that is not there yet.
    await tidy(memory, { propose: true, maxChars: 500, ignore: ["/a-2.md"] });
    expect((await waiting(memory)).map(({ id }) => id)).toEqual(others.map(({ id }) => id));
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

  it("is followed by proposals that show each reason", async () => {
    const nodeId = randomUUID();
    const memory = await untidyMemory(nodeId);
    await tidy(memory, { propose: true });
    const target = ["--uri", uri, "--db", dbName, "--node", nodeId];
    const { stdout } = await cli(["proposals", ...target]);
    expect(stdout).toContain("\n  hidden characters: \\u200b; the line repeats line 2 of /a.md\n");
    await memory.history?.redact({ text: "bike", cut: true });
    const redacted = await cli(["proposals", ...target, "--status", "rejected"]);
    expect(redacted.stdout.trimEnd().split("\n")).toEqual([expect.stringContaining("rejected: redacted")]);
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
