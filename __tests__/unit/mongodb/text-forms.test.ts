import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { TextRedactor } from "../../../src/core/history/text-redactor.js";
import { logConversation, openMemory } from "../../../src/index.js";
import { listTextForms } from "../../../src/mongodb/history/redaction/redact-forms.js";
import { doAtOnce } from "../../helpers/at-once.js";
import fc from "../../helpers/fast-check.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { repetitions } from "../../helpers/repetitions.js";

/** Returns the log of a message, and of what the user said before and after it. */
async function logMessage(content: string): Promise<string> {
  const memory = openMemory(new InMemoryStore(), freshAddress());
  const messages = ["before", content, "after"].map((text) => new HumanMessage(text));
  await logConversation(memory, messages, { at: new Date("2026-03-04T09:05:00Z") });
  return memory.read("/conversations/2026-03-04/no-thread.md");
}

const coverForms = (secret: string, text: string): string =>
  listTextForms(secret).reduce((covered, form) => doAtOnce(new TextRedactor(form).cover(covered)), text);

/** A message as the log of `logMessage` has it, without its speaker. */
const loggedMessage = /(?<=\nUser: before\n\^[a-z]{8}\nUser: )[^]*(?=\n\^[a-z]{8}\nUser: after\n)/;

const lineEnd = fc.constantFrom("\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029");
const line = fc.constantFrom(
  "",
  " ",
  "  ",
  "one",
  "  two",
  "[three]",
  "User: four",
  "## 10:00 x",
  "^abcdefgh",
  "-*#x0_",
);
const someMessage = fc
  .array(fc.tuple(lineEnd, line), { minLength: 1, maxLength: 8 })
  .map((lines) => `the start${lines.flat().join("")} and end`)
  .chain((text) => fc.constantFrom(text, `\n ${text}\r\n`));

describe("the forms of a text", () => {
  it("cover each line of a message in a log, and nothing else, if the message is redacted as it was said", async () => {
    await fc.assert(
      fc.asyncProperty(someMessage, async (said) => {
        const log = await logMessage(said);
        const logged = loggedMessage.exec(log)?.[0] ?? "";
        expect(logged).toMatch(/^the start.* and end$/s);
        expect(coverForms(said, log)).toBe(log.replace(loggedMessage, () => new TextRedactor(logged).mask));
      }),
      { numRuns: repetitions({ usual: 300, long: 5000 }) },
    );
  });

  it("cover a message that the log has cut", async () => {
    const said = `${"é\n".repeat(10_000)}more`;
    const covered = coverForms(said, await logMessage(said));
    expect([covered.includes("é"), covered.includes("more")]).toEqual([false, false]);
  });

  it("cover a part of a message, and leave the rest", async () => {
    const log = await logMessage("one\ntwo\nthree\nfour");
    expect(coverForms("two\nthree", log)).toBe(log.replace("two\nUser: three", "[redacted-----]"));
  });

  it("cover a text of several lines with either line end", () => {
    const text = "a\r\nb, a\nb, ab";
    for (const secret of ["a\nb", "a\r\nb"]) expect(coverForms(secret, text)).toBe("----, ---, ab");
  });

  it("are only the text itself for a text of one line", () => {
    expect(listTextForms(" sk-4711 ")).toEqual([" sk-4711 "]);
    expect(listTextForms("sk-4711\n")).toEqual(["sk-4711\r\n", "sk-4711\n"]);
  });

  it("come to an end in a megabyte that nearly is the text everywhere", () => {
    const half = "a\n".repeat(100_000);
    const text = `${"a\nUser: ".repeat(60_000)}${"a\r\n".repeat(100_000)}${half}`;
    expect(coverForms(`${half}b${half}`, text)).toBe(text);
    expect(coverForms("a\na", text)).not.toMatch(/a\r?\n(?:User: )?a/);
  });
});
