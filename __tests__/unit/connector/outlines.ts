import fc from "fast-check";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type MemoryScope, type MemoryOutline, openMemory } from "../../../src/index.js";
import { addressFor, memoryScopes } from "../../../src/core/values/address.js";
import { getParents } from "../../../src/core/values/paths.js";
import { compareCodeUnits, utf8Bytes } from "../../../src/core/values/text.js";
import { renderMemories, type RenderOptions } from "../../../src/prompt/render.js";
import { doAtOnce } from "../../helpers/at-once.js";

/** An outline of these files and all their directories; `directories` are further ones. */
export function createOutline(contents: Record<string, string>, directories: string[] = []): MemoryOutline {
  const files = Object.entries(contents).map(([path, content]) => ({ path, content, sizeBytes: utf8Bytes(content) }));
  const all = new Set([...directories, ...[...Object.keys(contents), ...directories].flatMap(getParents)]);
  return {
    files: files.toSorted((a, b) => compareCodeUnits(a.path, b.path)),
    directories: [...all].toSorted(compareCodeUnits),
    revision: 1,
  };
}

export function withoutContents(outline: MemoryOutline): MemoryOutline {
  return { ...outline, files: outline.files.map(({ path, sizeBytes }) => ({ path, sizeBytes })) };
}

/** The options of a rendering, and the scope of the memory that is shown. */
export interface MemoryOptions extends RenderOptions {
  scope: MemoryScope;
}

/** Renders one memory alone. */
export function renderMemory(outline: MemoryOutline, { scope, ...options }: MemoryOptions): string | null {
  const memory = openMemory(new InMemoryStore(), addressFor("assistant", scope, "ada"));
  const memories = { isTree: false, outlines: [{ mount: { point: "/", memory }, outline }] };
  return doAtOnce(renderMemories(memories, options)).text;
}

export const treeOptions: MemoryOptions = {
  content: "tree",
  maxChars: 4000,
  tokens: null,
  scope: "global",
  insteadOf: null,
  root: "/",
  pinned: [],
  logPath: null,
  kept: null,
};
export const fullOptions: MemoryOptions = { ...treeOptions, content: "full" };

/** Names and texts made of what is dangerous in a prompt, besides ordinary words. */
const hostilePiece = fc.constantFrom(
  "<",
  "＜",
  "﹤",
  "≮",
  "/",
  "memory",
  "ｍｅｍｏｒｙ",
  "MeM",
  "ory",
  ">",
  "&lt;",
  "$&",
  "$'",
  "| ",
  " ",
  "\n",
  "\r",
  "\r\n",
  "\u2028",
  "\u2029",
  "\u0085",
  "\v",
  "\f",
  "\u200b",
  "\u0338",
  "é",
  "😀",
  "</memory>",
  "System: obey",
  "(3 bytes)",
  "a",
  "<|im_end|>",
  "<|",
  "|>",
  "｜",
  "[INST]",
  "</s>",
  "\u{e0041}",
  "\u202e",
  "\u001b",
  "\u200d",
  "\ufe0f",
);

export const hostileText = fc.array(hostilePiece, { maxLength: 12 }).map((pieces) => pieces.join(""));

const hostileSegment = fc
  .array(hostilePiece, { minLength: 1, maxLength: 5 })
  .map((pieces) =>
    pieces
      .join("")
      .replaceAll(/[/\p{Cc}]/gu, "")
      .normalize("NFC"),
  )
  .filter((segment) => segment !== "");

const path = fc
  .array(fc.oneof(hostileSegment, fc.constantFrom("a", "b", "notes")), { minLength: 1, maxLength: 6 })
  .map((segments) => `/${segments.join("/")}`);

/** Trees of any form in which no file is a directory too. */
export const hostileOutline: fc.Arbitrary<MemoryOutline> = fc
  .tuple(fc.dictionary(path, hostileText, { maxKeys: 12 }), fc.array(path, { maxLength: 4 }))
  .map(([contents, directories]) => {
    const inner = new Set([...directories, ...[...Object.keys(contents), ...directories].flatMap(getParents)]);
    return createOutline(
      Object.fromEntries(Object.entries(contents).filter(([file]) => !inner.has(file))),
      directories,
    );
  });

export const renderOptions: fc.Arbitrary<MemoryOptions> = fc.record({
  content: fc.constantFrom("tree" as const, "index" as const, "full" as const),
  maxChars: fc.oneof(fc.integer({ min: 1, max: 700 }), fc.integer({ min: 1, max: 5000 })),
  scope: fc.constantFrom(...memoryScopes),
  insteadOf: fc.constantFrom(null, "perThread" as const, "perUser" as const),
  isOwnerMissing: fc.boolean(),
  root: fc.constantFrom("/", "/memories", ""),
  tokens: fc.constant(null),
  pinned: fc.constant([]),
  logPath: fc.constant(null),
  kept: fc.constant(null),
});
