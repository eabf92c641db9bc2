import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { asOrdinaryUser } from "../../helpers/ordinary-user.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName });
const folder = testFolder();
const readable = testFolder();

const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]);
const link = "it is a link, which is not followed";

function newMemory(): { target: string[]; contents: () => Promise<[path: string, content: string][]> } {
  const nodeId = randomUUID();
  const contents = async (): Promise<[string, string][]> =>
    (await store.memory({ nodeId }).snapshot()).files.map(({ path, content }) => [path, content]);
  return { target: ["--uri", uri, "--db", dbName, "--node", nodeId], contents };
}

/** A workspace with two texts, and what no memory takes. */
function workspace(): string {
  const dir = folderWith(folder, {
    "notes.md": "one",
    "docs/plan.md": "two",
    "docs/logo.png": picture,
    "docs/huge.log": "",
    "docs/large.log": "x".repeat(7_500_001),
    " blank/x": "x",
    "a\\b": "x",
    "line\nskipped: no": "x",
    ".git/config": "x",
  });
  truncateSync(join(dir, "docs/huge.log"), 1_000_000_000);
  symlinkSync("..", join(dir, "docs/loop"));
  symlinkSync("notes.md", join(dir, "linked"));
  symlinkSync("nowhere", join(dir, "dangling"));
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/caf`), Buffer.from([0xe9])]), "x");
  mkdirSync(Buffer.concat([Buffer.from(`${dir}/dir`), Buffer.from([0xff])]));
  execFileSync("mkfifo", [join(dir, "docs/pipe")]);
  return dir;
}

it("a workspace is imported with a report of everything that no memory takes", async () => {
  const { target, contents } = newMemory();
  const dir = workspace();
  expect(await cliJson(["import", "--dir", dir, ...target])).toEqual({
    ok: true,
    dryRun: false,
    memories: 1,
    written: 2,
    replaced: 0,
    unchanged: 0,
    skipped: [
      ["/ blank", 'invalid path segment: " blank" (a name does not begin or end with a blank)'],
      ["/ blank/x", 'invalid path segment: " blank" (a name does not begin or end with a blank)'],
      ["/.git", "invalid path segment: .git (reserved, not part of the memory)"],
      ["/a\\b", "its name contains a backslash"],
      ["/caf\\xe9", "its name is not UTF-8"],
      ["/dangling", link],
      ["/dir\\xff", "its name is not UTF-8"],
      ["/docs/huge.log", "EFBIG: the file has 1000000000 bytes; a memory reads files of at most 15000000 bytes"],
      [
        "/docs/large.log",
        "EFBIG: the file would be 7500001 bytes, over its limit of 7500000 bytes; split it into several files",
      ],
      ["/docs/logo.png", "EIO: the file is not UTF-8 text"],
      ["/docs/loop", link],
      ["/docs/pipe", "it is neither a file nor a folder"],
      ["/line\nskipped: no", "invalid path: control characters are not allowed"],
      ["/linked", link],
    ].map(([path, reason]) => ({ path, reason })),
  });
  expect(await contents()).toEqual([
    ["/docs/plan.md", "two"],
    ["/notes.md", "one"],
  ]);
});

it("the report is on the standard error, a line for each entry, also of a dry run and of a second one", async () => {
  const { target, contents } = newMemory();
  const dir = workspace();
  const tried = await cli(["import", "--dir", dir, "--dry-run", ...target]);
  expect(await contents()).toEqual([]);
  const first = await cli(["import", "--dir", dir, ...target]);
  const second = await cli(["import", "--dir", dir, ...target]);
  expect([tried, first, second].map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual([
    [0, "checked, not imported, 1 memory: 2 files written, 14 skipped\n"],
    [0, "imported 1 memory: 2 files written, 14 skipped\n"],
    [0, "imported 1 memory: 0 files written, 2 files there already, 14 skipped\n"],
  ]);
  const lines = first.stderr.trimEnd().split("\n");
  expect(lines).toHaveLength(14);
  expect(lines.filter((line) => !line.startsWith("skipped: "))).toEqual([]);
  expect(lines).toContain("skipped: /docs/logo.png: EIO: the file is not UTF-8 text");
  expect(lines).toContain('skipped: "/line\\nskipped: no": invalid path: control characters are not allowed');
  expect([tried.stderr, second.stderr]).toEqual([first.stderr, first.stderr]);
});

it("names in NFD, as macOS writes them, are taken as NFC, and one of two spellings is skipped", async () => {
  const [nfd, nfc] = ["Ubersicht u\u0308ber", "Ubersicht \u00fcber"];
  const { target, contents } = newMemory();
  const dir = folderWith(folder, { [`${nfd}/e\u0301.md`]: "one", "e\u0301.md": "nfd", "\u00e9.md": "nfc" });
  const { skipped } = await cliJson(["import", "--dir", dir, ...target]);
  const files = await contents();
  expect(files.map(([path]) => path).toSorted()).toEqual([`/${nfc}/\u00e9.md`, "/\u00e9.md"].toSorted());
  expect(skipped).toEqual([
    {
      path: expect.stringMatching(/^\/(?:e\u0301|\u00e9)\.md$/),
      reason: "another file or folder has the same name in another spelling",
    },
  ]);
});

it("the lock of a folder memory is not reported", async () => {
  const { target, contents } = newMemory();
  const dir = folderWith(folder);
  await openDirectoryMemory({ dir }).write("/a", "x");
  expect(await cliJson(["import", "--dir", dir, ...target])).toMatchObject({ written: 1, skipped: [] });
  expect(await contents()).toEqual([["/a", "x"]]);
});

it("what the user may not read is skipped, a folder with all that is in it", async () => {
  const dir = folderWith(readable, { "a.md": "x", "secret.md": "x", "closed/b.md": "x" });
  chmodSync(join(dir, "secret.md"), 0);
  chmodSync(join(dir, "closed"), 0);
  await asOrdinaryUser(dir, async () => {
    expect(await cliJson(["import", "--dir", dir, "--to-dir", dir, "--dry-run"])).toMatchObject({
      unchanged: 1,
      skipped: [
        { path: "/closed", reason: "EIO: permission denied" },
        { path: "/secret.md", reason: "EIO: permission denied" },
      ],
    });
  });
});

it("more than 100 entries are counted in words, and named in JSON", async () => {
  const { target } = newMemory();
  const dir = folderWith(folder, Object.fromEntries(Array.from({ length: 103 }, (_, index) => [`${index}`, picture])));
  const { stderr } = await cli(["import", "--dir", dir, ...target]);
  expect(stderr.trimEnd().split("\n").slice(99)).toEqual([
    expect.stringMatching(/^skipped: \/\d+: /),
    "skipped: 3 more; --json names all",
  ]);
  const { skipped } = await cliJson(["import", "--dir", dir, ...target]);
  expect(skipped).toHaveLength(103);
});
