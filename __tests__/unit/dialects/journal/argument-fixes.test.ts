import { describe, expect, it } from "@jest/globals";
import { changed, hitsOf, notFound, read, refused } from "../../../helpers/journal-answers.js";
import { JournalBench, replay } from "../../../helpers/journal-scenario.js";

const today = ".agent/memory/2026/01/15.md";

describe("arguments, in recordings that the crate took or refused loosely", () => {
  it("09 update-drops-tags: an update without tags keeps them", async () => {
    expect(changed(await replay(9))).toEqual({
      2: read({ content: "A2", tags: ["keep", "me"] }),
      3: { success: true, data: { results: [expect.objectContaining({ key: "a", tags: ["keep", "me"] })] } },
    });
  });

  it("14 update-ignores-target and 32 no-path-arguments: unknown arguments are refused", async () => {
    const target = refused(
      "MEMORY_INVALID_ARGUMENT",
      "unknown argument: `target`; the arguments are `key`, `content`, `tags`",
    );
    expect(changed(await replay(14))).toEqual({ 1: target, 2: target, 3: read({ content: "1" }) });
    const { bench, ...rest } = await replay(32);
    const unknown = (name: string): object =>
      refused(
        "MEMORY_INVALID_ARGUMENT",
        expect.stringContaining(`unknown argument: \`${name}\`; the arguments are `) as never,
      );
    expect(changed({ bench, ...rest })).toEqual({
      0: unknown("path"),
      1: unknown("path"),
      3: unknown("path"),
      4: unknown("file"),
      5: unknown("date"),
      6: unknown("file"),
    });
    expect(await bench.files()).toEqual({});
  });

  it("16 tags-odd-values: tags that the format cannot carry are refused, others trimmed before they are written", async () => {
    const result = await replay(16);
    const bad = refused(
      "MEMORY_INVALID_ARGUMENT",
      "invalid `tags`: a tag must not contain `|`, `-->` or control characters",
    );
    expect(changed(result)).toEqual({
      0: bad,
      1: notFound("a"),
      4: bad,
      5: notFound("c"),
      10: bad,
      11: notFound("f"),
      12: bad,
      13: notFound("g"),
      16: bad,
      17: { success: true, data: { results: [expect.objectContaining({ key: "b", tags: ["pad", "in ner"] })] } },
    });
    const text = (await result.bench.files())[today] ?? "";
    expect(text.match(/tags=.*/g)).toEqual(["tags=pad|in ner -->", "tags=k tags=z -->", "tags=标签|é -->"]);
  });

  it("18 tags-wrong-types: tags are an array of strings, and null is none", async () => {
    const bad = refused("MEMORY_INVALID_ARGUMENT", "invalid `tags`: expected array of strings");
    const result = await replay(18);
    expect(changed(result)).toEqual({
      0: bad,
      2: bad,
      3: bad,
      4: notFound("a"),
      5: notFound("c"),
      6: bad,
      7: bad,
      8: bad,
    });
    expect(Object.values(await result.bench.files()).join()).toMatch(/^### b\n\nB\n/);
  });

  it("19 keys-invalid: every tool refuses a key of several lines", async () => {
    const lines = refused("MEMORY_INVALID_KEY", "memory key must be a single line");
    expect(changed(await replay(19))).toEqual({ 10: lines, 12: lines });
  });

  it("20 keys-accepted: only a key with a control character is refused", async () => {
    const { 16: write, 17: lookUp, 24: search, ...others } = changed(await replay(20));
    expect(write).toEqual(
      refused("MEMORY_INVALID_KEY", "memory key must not contain control or line separator characters"),
    );
    expect(lookUp).toEqual(notFound("tab\there"));
    expect(hitsOf(search)).toHaveLength(12);
    expect(others).toEqual({});
  });

  it("22 keys-unicode: keys are NFC, without control or separator characters, and trimmed as the crate trims", async () => {
    const bad = refused("MEMORY_INVALID_KEY", "memory key must not contain control or line separator characters");
    const { bench, ...rest } = await replay(22);
    expect(changed({ bench, ...rest })).toEqual({
      5: refused("MEMORY_KEY_EXISTS"),
      7: read({ key: "café".normalize("NFC"), content: "nfc" }),
      8: bad,
      9: notFound("l\u2028s"),
      10: bad,
      11: notFound("n\u0085l"),
      20: bad,
      21: notFound("nul\0key"),
      22: bad,
      23: notFound("vt\vff"),
    });
    await bench.put("/.agent/memory/notes.md", "### Ame\u0301lie\n\nby hand\n");
    expect(await bench.call("memory_read", { key: "Amélie" })).toEqual(read({ content: "by hand" }));
  });

  it("23 keys-very-long: a key has at most 512 characters", async () => {
    const tooLong = refused("MEMORY_INVALID_KEY", "memory key must be at most 512 characters");
    expect(changed(await replay(23))).toEqual({ 0: tooLong, 1: refused("MEMORY_KEY_NOT_FOUND"), 2: tooLong });
    const bench = new JournalBench();
    expect(await bench.call("memory_write", { key: "k".repeat(512), content: "" })).toMatchObject({ success: true });
  });

  it("31 target-invalid: a target is a string, and null is the default", async () => {
    const bad = refused("MEMORY_INVALID_TARGET", "invalid `target`: expected string");
    expect(changed(await replay(31))).toEqual({
      9: bad,
      10: bad,
      11: { success: true, data: { results: [expect.objectContaining({ key: "n1" })] } },
    });
  });

  it("33 argument-order-of-checks: the same order, with the same codes", async () => {
    expect(changed(await replay(33))).toEqual({});
  });
});
