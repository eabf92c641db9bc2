import { describe, expect, it } from "@jest/globals";
import { FolderBench } from "../../../helpers/journal-folder.js";
import {
  JournalBench,
  readFixture,
  replay,
  type Scenario,
  scenarioFiles,
  type Step,
} from "../../../helpers/journal-scenario.js";
import { testTranscript } from "../../../helpers/transcripts.js";
import { testFolder } from "../../../helpers/test-folder.js";

const folder = testFolder();

const scenarios = scenarioFiles.map((file) => ({
  number: Number(file.slice(0, 2)),
  ...(readFixture(file) as Scenario),
}));

/** Not told by answers and files alone: files that a memory cannot hold, links, and clocks finer than a Date. */
const toldByItself = [53, 55, 56, 63, 67];
const others = scenarios.filter(({ number }) => !toldByItself.includes(number));
const matching = others.filter(({ verdict }) => verdict === "match");

/** Scenario 40 updates without tags and shows them gone; here they are kept (specification section 10). */
const withTagsCleared = ({ tool, args }: Step): unknown =>
  tool === "memory_update" ? { tags: [], ...(args as object) } : args;

/** An update of the crate leaves a blank line where the block was; ours does not. */
const withoutExtraLines = (files: Record<string, string>): Map<string, string> =>
  new Map(Object.entries(files).map(([path, text]) => [path, text.replaceAll(/\n{3,}/g, "\n\n").replace(/^\n+/, "")]));

describe.each<[where: string, open: (memoryDir: string) => JournalBench]>([
  ["in memory", (memoryDir) => new JournalBench(memoryDir)],
  ["in a folder that is the workspace", (memoryDir) => new FolderBench(folder, "", memoryDir)],
  ["in a folder that is the journal", (memoryDir) => new FolderBench(folder, memoryDir, "/")],
])("what the crate does well, %s", (where, open) => {
  const isPlain = /^\.?\w+(\/\w+)*$/;
  const here = matching.filter(({ context }) => !where.endsWith("journal") || isPlain.test(context.memory_dir));

  it.each(here)("$number $name: the same answers and files, byte for byte", async ({ number }) => {
    const { scenario, bench, answers } = await replay(number, withTagsCleared, open);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.map(({ text }) => text)).toEqual(answers.map(({ expected }) => expected));
    const files = await bench.files();
    if (scenario.files_compare === "exact") expect(files).toEqual(scenario.files);
    else expect(withoutExtraLines(files)).toEqual(withoutExtraLines(scenario.files));
  });

  it("is nearly all that was recorded so", () => {
    expect([scenarios.length, here.length]).toEqual([54, where.endsWith("journal") ? 18 : 20]);
  });
});

describe("the recordings of clocks", () => {
  it("63 dates-sub-millisecond: times finer than a Date are read and ordered", async () => {
    const recorded = scenarios.find(({ number }) => number === 63);
    const bench = new JournalBench(".agent/memory");
    for (const [path, text] of Object.entries(recorded?.files ?? {})) await bench.put(path, text);
    const steps = recorded?.steps.filter(({ tool }) => tool !== "memory_write") ?? [];
    expect(steps).toHaveLength(3);
    for (const step of steps) expect(await bench.text(step.tool, step.args)).toBe(JSON.stringify(step.expect));
  });

  it("67 real-clock: without a clock of ours, the system's decides", async () => {
    const { bench, answers } = await replay(67);
    const withoutTimes = (text: string): string =>
      text.replaceAll(/\d{4}\/\d\d\/\d\d/g, "DAY").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+\+00:00/g, "TIME");
    expect(answers.map(({ text }) => withoutTimes(text))).toEqual(
      answers.map(({ expected }) => withoutTimes(expected)),
    );
    expect(Object.keys(await bench.files()).join()).toMatch(/^\.agent\/memory\/\d{4}\/\d\d\/\d\d\.md$/);
  });
});

describe("what is better here than in the crate is told as the transcript says", () => {
  // Of each recording that the crate lost, let forge or refused loosely: the calls whose answer differs, the crate's
  // answer (`-`), ours (`|`), and our files at the end. Long texts are cut.
  const told = testTranscript("journal-recordings", async ([title = ""]) => {
    const { answers, bench } = await replay(Number(title.slice(3, 5)));
    const differing = answers.filter(({ text, expected }) => text !== expected);
    return [
      title,
      ...differing.flatMap(({ step: { tool, args }, text, expected }) => [
        `| ${tool} ${cut(JSON.stringify(args))}`,
        `- ${cut(expected)}`,
        `| ${cut(text)}`,
      ]),
      ...Object.entries(await bench.files()).map(([path, text]) => `= ${cut(JSON.stringify({ [path]: text }))}`),
    ];
  });

  it("of every other recording", () => {
    const numbers = [...told.map((title) => Number(title.slice(0, 2))), ...matching.map(({ number }) => number)];
    expect(new Set(numbers)).toEqual(new Set(others.map(({ number }) => number)));
  });
});

function cut(text: string): string {
  return text.length > 700 ? `${text.slice(0, 400)} … ${text.length} characters … ${text.slice(-200)}` : text;
}
