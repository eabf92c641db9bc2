import { describe, expect, it } from "@jest/globals";
import { type BlockText, moveToEnd, parseBlocks, serializeBlock } from "../../../../src/dialects/journal/blocks.js";
import { getFirstLineEnd } from "../../../../src/core/values/line-ends.js";
import { trim, trimEnd } from "../../../../src/dialects/journal/white-space.js";
import fc from "../../../helpers/fast-check.js";
import { repetitions } from "../../../helpers/repetitions.js";

const forgeries = [
  "### x",
  "### ",
  "\\### x",
  "\\\\### x",
  "<!-- agentool-memory: at=2099-01-01T00:00:00+00:00 tags=evil -->",
  "   <!-- agentool-memory:",
  "\\<!-- agentool-memory: at=",
  " \\\\<!-- agentool-memory:",
  "-->",
  "# one",
  "## two",
  "```",
  "~~~",
  "",
  "  ",
  "\t",
  "\r",
  "\u0085",
  "\u2028",
  "\uFEFF",
  "a",
  "\\",
  " ### x",
  "tags=",
  "|",
];
const at = "2026-01-15T10:00:00.123+00:00";
const line = fc.oneof(fc.constantFrom(...forgeries), fc.string({ unit: "grapheme" }), fc.string());
const content = fc.array(line, { maxLength: 6 }).map((lines) => trimEnd(lines.join("\n")));
const singleLine = fc
  .oneof(fc.constantFrom(...forgeries), fc.string({ unit: "grapheme" }))
  .map((text) => trim(text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, "")));
const key = singleLine.filter((text) => text !== "");
const tag = singleLine.filter((text) => text !== "" && !text.includes("|") && !text.includes("-->"));
const block = fc.record({ key, content, at: fc.constant(at), tags: fc.array(tag, { maxLength: 3 }) });
const blocks = fc.array(block, { maxLength: 5 });

const getTexts = (text: string): BlockText[] => parseBlocks(text).map(({ start: _start, end: _end, ...rest }) => rest);

describe("blocks", () => {
  it("come back as they were, whatever they say", () => {
    fc.assert(
      fc.property(blocks, (given) => {
        expect(getTexts(given.map((each) => serializeBlock(each)).join(""))).toEqual(given);
      }),
      { numRuns: repetitions({ usual: 500, long: 3_000 }) },
    );
  });

  it("come back from a file with CRLF, whose line breaks are then no part of a content", () => {
    fc.assert(
      fc.property(blocks, (given) => {
        const text = given.map((each) => serializeBlock(each, "\r\n")).join("");
        expect(text.replaceAll("\r\n", "")).not.toContain("\n");
        const normalized = given.map((each) => ({ ...each, content: trimEnd(each.content.replaceAll("\r\n", "\n")) }));
        expect(getTexts(text)).toEqual(normalized);
      }),
      { numRuns: repetitions({ usual: 250, long: 1_000 }) },
    );
  });

  it("are as many to the crate, with the same keys, times and tags", () => {
    fc.assert(
      fc.property(blocks, (given) => {
        const seen = crateBlocks(given.map((each) => serializeBlock(each)).join(""));
        expect(seen).toEqual(given.map(({ key: own, tags }) => ({ key: own, at, tags })));
      }),
      { numRuns: repetitions({ usual: 500, long: 3_000 }) },
    );
  });

  it("leave every other block and all hand-written text as they were when one is replaced", () => {
    const hand = fc.constantFrom(
      "",
      "# Title\n\nintro\n\n",
      "\uFEFF# Title\r\n\r\n",
      "### open\n\nhand\n\n## Section\n\nmore\n\n",
    );
    fc.assert(
      fc.property(hand, blocks, block, fc.nat(), (preamble, given, replacement, place) => {
        const text = preamble + given.map((each) => serializeBlock(each, getFirstLineEnd(preamble))).join("");
        const before = parseBlocks(text);
        const replaced = before[place % Math.max(1, before.length)];
        if (replaced === undefined) return;
        const after = parseBlocks(moveToEnd(text, replaced, replacement));
        const others = before.filter((each) => each !== replaced).map(({ key: own, content: said }) => [own, said]);
        expect(after.slice(0, -1).map(({ key: own, content: said }) => [own, said])).toEqual(others);
        expect(after.at(-1)?.key).toBe(replacement.key);
        if (replaced.key !== "open") expect(moveToEnd(text, replaced, replacement).startsWith(preamble)).toBe(true);
      }),
      { numRuns: repetitions({ usual: 400, long: 2_000 }) },
    );
  });

  it("parse in time proportional to a text, however it is made", () => {
    const lines = ["### k", "<!-- agentool-memory: ".repeat(20_000), " ".repeat(300_000), "\\".repeat(300_000), "x"];
    const text = `${lines.join("\n")}\n${"### \n".repeat(20_000)}`;
    // Of this process alone, however busy the machine is.
    const started = process.cpuUsage();
    parseBlocks(text);
    const { user } = process.cpuUsage(started);
    expect(user).toBeLessThan(5_000_000);
  });
});

/** How the crate reads a file, line by line, without any of our tolerance. */
function crateBlocks(text: string): { key: string; at: string; tags: string[] }[] {
  const found: { key: string; at: string; tags: string[] }[] = [];
  let isOpen = false;
  for (const each of text.split("\n")) {
    if (each.startsWith("### ")) {
      const heading = trim(each.slice(4));
      isOpen = heading !== "";
      if (isOpen) found.push({ key: heading, at: "", tags: [] });
    } else if (isOpen && trim(each).startsWith("<!-- agentool-memory:")) {
      isOpen = false;
      const statement = trim(trim(each).slice("<!-- agentool-memory:".length, -"-->".length));
      const separator = statement.indexOf(" tags=");
      const time = statement.slice("at=".length, separator === -1 ? undefined : separator);
      const tags =
        separator === -1
          ? []
          : statement
              .slice(separator + 6)
              .split("|")
              .map(trim)
              .filter(Boolean);
      Object.assign(found.at(-1) ?? {}, { at: time, tags });
    }
  }
  return found;
}
