import { describe, expect, it } from "@jest/globals";
import { lstatSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { notFound, read, refused } from "../../helpers/journal-answers.js";
import { filesBelow, FolderBench } from "../../helpers/journal-folder.js";
import { readFixture, replay, type Scenario, scenarioFiles, type Step } from "../../helpers/journal-scenario.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();

/** Not told by files alone: a link, told below, and clocks, told in the journal's own tests. */
const otherwise = [55, 63, 67];
const matching = scenarioFiles
  .map((file) => ({ number: Number(file.slice(0, 2)), ...(readFixture(file) as Scenario) }))
  .filter(({ number, verdict }) => verdict === "match" && !otherwise.includes(number));

/** Scenario 40 updates without tags and shows them gone; here they are kept (specification section 10). */
const withTagsCleared = ({ tool, args }: Step): unknown =>
  tool === "memory_update" ? { tags: [], ...(args as object) } : args;

/** An update of the crate leaves a blank line where the block was; ours does not. */
const withoutExtraLines = (files: Record<string, string>): Map<string, string> =>
  new Map(Object.entries(files).map(([path, text]) => [path, text.replaceAll(/\n{3,}/g, "\n\n").replace(/^\n+/, "")]));

async function expectAsRecorded(number: number, open: (memoryDir: string) => FolderBench): Promise<void> {
  const { scenario, bench, answers } = await replay(number, withTagsCleared, open);
  expect(answers.map(({ text }) => text)).toEqual(answers.map(({ expected }) => expected));
  const files = await bench.files();
  if (scenario.files_compare === "exact") expect(files).toEqual(scenario.files);
  else expect(withoutExtraLines(files)).toEqual(withoutExtraLines(scenario.files));
}

describe("agentool's own files", () => {
  it.each(matching)("$number $name: the same bytes, where the memory is the workspace", async ({ number }) => {
    await expectAsRecorded(number, (memoryDir) => new FolderBench(folder, "", memoryDir));
  });

  const plain = matching.filter(({ context }) => /^\.?\w+(\/\w+)*$/.test(context.memory_dir));
  it.each(plain)("$number $name: the same bytes, where the memory is $context.memory_dir", async ({ number }) => {
    await expectAsRecorded(number, (memoryDir) => new FolderBench(folder, memoryDir, "/"));
  });

  it("are nearly all recordings of what the crate does well", () => {
    expect([matching.length, plain.length]).toEqual([20, 18]);
  });
});

describe("in recordings of real files that the crate stumbled over", () => {
  it("53 storage-non-utf8: a file that is no UTF-8 stops no tool, and stays as it is", async () => {
    const bad = Buffer.from("IyMjIHgKCv/+Cg==", "base64");
    const bench = new FolderBench(folder, ".agent/memory", "/");
    await bench.call("memory_write", { key: "a", content: "A" });
    await bench.put(".agent/memory/bad.md", bad);
    expect(await bench.call("memory_read", { key: "a" })).toEqual(read({ content: "A" }));
    expect(await bench.call("memory_search", { query: "" })).toMatchObject({ data: { results: [{ key: "a" }] } });
    expect(await bench.call("memory_write", { key: "b", content: "B" })).toMatchObject({ success: true });
    expect(await bench.call("memory_update", { key: "a", content: "A2" })).toMatchObject({ success: true });
    expect(await bench.call("memory_read", { key: "a" })).toEqual(read({ content: "A2" }));
    expect(readFileSync(join(bench.workspace, ".agent/memory/bad.md"))).toEqual(bad);
  });

  it("55 link-memory-dir-outside: a link as the journal's root is refused by every tool", async () => {
    const outside = folderWith(folder);
    const open = (memoryDir: string): FolderBench => {
      const bench = new FolderBench(folder, "", memoryDir);
      mkdirSync(join(bench.workspace, ".agent"));
      symlinkSync(outside, join(bench.workspace, memoryDir));
      return bench;
    };
    const bench = open(".agent/memory");
    const throughLink = refused(
      "INVALID_PATH",
      "invalid path: it leads through a link, which a memory does not follow",
    );
    for (const { tool, args } of recordedCalls(55)) expect(await bench.call(tool, args)).toEqual(throughLink);
    expect(await bench.call("memory_update", { key: "a", content: "A" })).toEqual(throughLink);
    expect(filesBelow(outside)).toEqual({});
    expect(lstatSync(join(bench.workspace, ".agent/memory")).isSymbolicLink()).toBe(true);
  });

  it("56 link-year-dir-outside: nothing is written through a linked year", async () => {
    const outside = folderWith(folder);
    const bench = new FolderBench(folder, ".agent/memory", "/");
    mkdirSync(join(bench.workspace, ".agent/memory"), { recursive: true });
    symlinkSync(outside, join(bench.workspace, ".agent/memory/2026"));
    const throughLink = refused(
      "INVALID_PATH",
      "invalid path: it leads through a link, which a memory does not follow",
    );
    const answers = [];
    for (const { tool, args } of recordedCalls(56)) answers.push(await bench.call(tool, args));
    expect(answers).toEqual([throughLink, notFound("a"), throughLink, { success: true, data: { results: [] } }]);
    expect(filesBelow(outside)).toEqual({});
    expect(await bench.call("memory_write", { key: "a", content: "A", target: "summary" })).toMatchObject({
      success: true,
    });
    expect(await bench.call("memory_read", { key: "a" })).toEqual(read({ content: "A", file: "MEMORY.md" }));
  });
});

function recordedCalls(number: number): Step[] {
  const file = scenarioFiles.find((each) => each.startsWith(`${number}-`)) ?? "";
  return (readFixture(file) as Scenario).steps.filter(({ tool }) => tool.startsWith("memory_"));
}

it("54 storage-memory-dir-is-file: a file in the place of the memory is an error, not an empty memory", async () => {
  const bench = new FolderBench(folder, ".agent/memory", "/");
  await bench.put(".agent/memory", "text");
  for (const [tool, args] of [
    ["memory_search", { query: "" }],
    ["memory_read", { key: "a" }],
  ] as const) {
    expect(await bench.call(tool, args)).toEqual(
      refused("MEMORY_STORAGE_ERROR", "EIO: the memory's folder is not a folder"),
    );
  }
});
