import { expect, it } from "@jest/globals";
import { blameLines } from "../../../src/core/history/blame.js";
import type { FileLineage, LineageStep } from "../../../src/core/history/history-backend.js";
import { encodeText } from "../../helpers/at-once.js";
import { createUnlimitedCall } from "../../../src/core/runtime/call.js";
import fc from "../../helpers/fast-check.js";
import { repetitions } from "../../helpers/repetitions.js";

interface Line {
  text: string;
  /** The id of the version that brought it. */
  id: string;
}

const textOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join("\n");

function stepOf(id: string, older: readonly Line[] | null, newer: readonly Line[]): LineageStep {
  const version = {
    id,
    path: "/f",
    operation: "modified",
    at: new Date(0),
    actor: null,
    sizeBytes: 0,
    sha256: "",
  } as const;
  return { version, before: older === null ? "none" : encodeText(textOf(older), textOf(newer)) };
}

/** As a backend tells it, two versions at a time. */
function lineageOf(lines: readonly Line[], steps: readonly LineageStep[]): FileLineage {
  async function* some(): AsyncGenerator<readonly LineageStep[]> {
    for (let index = 0; index < steps.length; index += 2) yield steps.slice(index, index + 2);
  }
  return { text: textOf(lines), steps: some() };
}

/** A change of a file: at some places, how many lines go and how many come. */
const someChange = fc.array(fc.record({ place: fc.nat(), removed: fc.nat(2), added: fc.nat(2) }), {
  minLength: 1,
  maxLength: 12,
});

it.each([
  ["long", ", with enough behind it to stay by itself"],
  ["short", ""],
])(
  "blame names the version that brought each of many %s lines, however many places a version changed",
  async (_length, rest) => {
    await fc.assert(
      fc.asyncProperty(fc.array(someChange, { maxLength: 12 }), fc.nat(150), async (changes, count) => {
        const brought = (id: string, index: number): Line => ({ text: `${index}.${id}${rest}`, id });
        let lines = Array.from({ length: count + 1 }, (_, index) => brought("0", index));
        const steps = [stepOf("0", null, lines)];
        changes.forEach((change, index) => {
          const older = lines;
          const id = String(index + 1);
          lines = change.reduce((all, { place, removed, added }, edit) => {
            const come = Array.from({ length: added }, (_, line) => brought(id, edit * 10 + line));
            return all.toSpliced(place % (all.length + 1), removed, ...come);
          }, older);
          if (lines.length === 0) lines = [brought(id, 999)];
          steps.unshift(stepOf(id, older, lines));
        });
        const blamed = await blameLines(lineageOf(lines, steps), createUnlimitedCall());
        expect(blamed.map(({ text, version }) => ({ text, id: version?.id }))).toEqual(lines);
      }),
      { numRuns: repetitions({ usual: 60, long: 3_000 }) },
    );
  },
);

it("blame goes through versions of more lines than a call has arguments", async () => {
  const older = Array.from({ length: 300_000 }, (): Line => ({ text: "", id: "0" }));
  const newer: Line[] = [{ text: "all new", id: "1" }];
  const steps = [stepOf("2", older, newer), stepOf("1", newer, older), stepOf("0", null, newer)];
  const [line] = await blameLines(lineageOf(newer, steps), createUnlimitedCall());
  expect(line?.version?.id).toBe("2");
});

it("blame finds lines that moved by one among lines that stayed", async () => {
  const lines = (id: string, texts: string[]): Line[] => texts.map((text) => ({ text, id }));
  const older = lines("0", ["one", "two", "three", "four", "five", "six", "seven", "eight"]);
  const [, two, three, four, five, , seven, eight] = older;
  const newer = [...lines("1", ["ONE"]), two, three, four, five, seven, eight, ...lines("1", ["nine"])].filter(
    (line) => line !== undefined,
  );
  const blamed = await blameLines(
    lineageOf(newer, [stepOf("1", older, newer), stepOf("0", null, older)]),
    createUnlimitedCall(),
  );
  expect(blamed.map(({ text, version }) => ({ text, id: version?.id }))).toEqual(newer);
});

it("blame asks for no older versions once it knows the version of each line", async () => {
  const lines = (id: string, count: number): Line[] =>
    Array.from({ length: count }, (_, index) => ({ text: `${index} of ${id}`, id }));
  const [oldest, older, newer] = [lines("0", 3), lines("1", 3), lines("2", 3)];
  let asked = 0;
  async function* steps(): AsyncGenerator<readonly LineageStep[]> {
    for (const step of [stepOf("2", older, newer), stepOf("1", oldest, older), stepOf("0", null, oldest)]) {
      asked += 1;
      yield [step];
    }
  }
  const blamed = await blameLines({ text: textOf(newer), steps: steps() }, createUnlimitedCall());
  expect(blamed.map(({ version }) => version?.id)).toEqual(["2", "2", "2"]);
  expect(asked).toBe(1);
});

it.each([
  ["a line without a newline at its end, to which a later version appends", ["a", "a\nb"], ["0", "1"]],
  ["a line of which only the newline came or went", ["a", "a\n", "a"], ["0"]],
  ["an empty line after the former end of the file", ["a\n", "a\n\nb\n"], ["0", "1", "1"]],
])("blame finds the version of %s", async (_, texts, ids) => {
  const lines = texts.map((text, index) => text.split("\n").map((line): Line => ({ text: line, id: String(index) })));
  const steps = lines.map((newer, index) => stepOf(String(index), lines[index - 1] ?? null, newer)).toReversed();
  const blamed = await blameLines(lineageOf(lines.at(-1) ?? [], steps), createUnlimitedCall());
  expect(blamed.map(({ version }) => version?.id)).toEqual(ids);
});
