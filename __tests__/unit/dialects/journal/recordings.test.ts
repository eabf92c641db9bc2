import { describe, expect, it } from "@jest/globals";
import {
  JournalBench,
  readFixture,
  replay,
  type Scenario,
  scenarioFiles,
  type Step,
} from "../../../helpers/journal-scenario.js";

/** Scenarios about real files, told in journal-directory.test.ts. */
const ofRealFiles: Record<number, string> = {
  53: "a file that is no UTF-8: a memory holds text only",
  55: "a link out of the workspace: a memory has no links",
  56: "a linked year folder: a memory has no links",
};

/** Told of another way below. */
const ofClocks: Record<number, string> = {
  63: "writes by a clock finer than a Date",
  67: "the crate's real clock",
};

const getNumber = (file: string): number => Number(file.slice(0, 2));
const scenarios = scenarioFiles.map((file) => ({ number: getNumber(file), ...(readFixture(file) as Scenario) }));
const matching = scenarios.filter(
  ({ number, verdict }) => verdict === "match" && !(number in ofRealFiles) && !(number in ofClocks),
);

/** Scenario 40 updates without tags and shows them gone; here they are kept (specification section 10). */
const withTagsCleared = ({ tool, args }: Step): unknown =>
  tool === "memory_update" ? { tags: [], ...(args as object) } : args;

describe("what the crate does well", () => {
  it("is 22 of the 54 recordings, beside one of a link", () => {
    expect(scenarios).toHaveLength(54);
    expect(matching).toHaveLength(20);
    expect(scenarios.filter(({ number, verdict }) => verdict === "match" && number in ofRealFiles)).toHaveLength(1);
  });

  it.each(matching)("$number $name: the same answers and files, byte for byte", async ({ number }) => {
    const { scenario, bench, answers } = await replay(number, withTagsCleared);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.map(({ text }) => text)).toEqual(answers.map(({ expected }) => expected));
    const files = await bench.files();
    if (scenario.files_compare === "exact") expect(files).toEqual(scenario.files);
    else expect(withoutExtraLines(files)).toEqual(withoutExtraLines(scenario.files));
  });

  it("63 dates-sub-millisecond: times finer than a Date are read and ordered", async () => {
    const isWrite = ({ tool }: Step): boolean => tool === "memory_write";
    const recorded = scenarios.find(({ number }) => number === 63);
    const bench = new JournalBench(".agent/memory");
    for (const [path, text] of Object.entries(recorded?.files ?? {})) await bench.put(path, text);
    const steps = recorded?.steps.filter((step) => !isWrite(step)) ?? [];
    expect(steps).toHaveLength(3);
    for (const step of steps) expect(await bench.text(step.tool, step.args)).toBe(JSON.stringify(step.expect));
  });

  it("67 real-clock: without a clock of ours, the system's decides", async () => {
    const before = new Date();
    const { bench, answers } = await replay(67);
    const withoutTimes = (text: string): string =>
      text.replaceAll(/\d{4}\/\d\d\/\d\d/g, "DAY").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+\+00:00/g, "TIME");
    expect(answers.map(({ text }) => withoutTimes(text))).toEqual(
      answers.map(({ expected }) => withoutTimes(expected)),
    );
    expect(Object.keys(await bench.files())).toEqual([
      expect.stringMatching(/\.agent\/memory\/\d{4}\/\d\d\/\d\d\.md$/),
    ]);
    expect(before.getTime()).toBeLessThanOrEqual(Date.now());
  });
});

describe("the tools", () => {
  it("are described to the model as the crate describes them, but for tags, which the crate does not search", () => {
    const recorded = readFixture("schemas.json") as { name: string; description: string; schema: CrateSchema }[];
    const tools = new JournalBench().tools.map(({ name, description, schema }) => ({ name, description, schema }));
    const strict = recorded.map(({ name, description, schema }) => ({
      name,
      description: description.replace("over keys and bodies.", "over keys, bodies and tags."),
      // The crate answers texts of any length.
      schema: toStrict(name === "memory_read" ? addProperty(schema, "from_line") : schema),
    }));
    expect(tools).toEqual(strict);
  });
});

interface CrateSchema {
  type: "object";
  properties: Record<string, object>;
  required: string[];
}

function addProperty(schema: CrateSchema, name: string): CrateSchema {
  const added = { type: "integer", description: expect.any(String) as unknown };
  return { ...schema, properties: { ...schema.properties, [name]: added } };
}

/** The same arguments in the form that every provider takes. */
function toStrict({ type, properties, required }: CrateSchema): object {
  const strict = Object.entries(properties).map(([name, property]) => [
    name,
    required.includes(name) ? property : { anyOf: [property, { type: "null" }] },
  ]);
  return {
    type,
    properties: Object.fromEntries(strict) as object,
    required: expect.arrayContaining(Object.keys(properties)) as unknown,
    additionalProperties: false,
  };
}

/** An update of the crate leaves a blank line where the block was; ours does not. */
function withoutExtraLines(files: Record<string, string>): Record<string, string> {
  const entries = Object.entries(files).map(([path, text]) => [
    path,
    text.replaceAll(/\n{3,}/g, "\n\n").replace(/^\n+/, ""),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
