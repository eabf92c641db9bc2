import fc from "fast-check";
import type { Memory } from "../../src/core/memory.js";
import { DeepAgentsBackend } from "../../src/deepagents/index.js";
import { createClaudeMemoryTool } from "../../src/langchain/claude/index.js";
import { MemoryTool } from "../../src/langchain/memory-tool.js";

/** An edit that a model makes without seeing line ends. */
export type LineEdit =
  | { type: "append"; content: string }
  | { type: "insert"; after: number; content: string }
  | { type: "update" | "replace" | "edit"; search: string; content: string };

/** A text as characters, in which a line end is one. */
function split(text: string): string[] {
  return text.match(/\r\n|[^]/g) ?? [];
}

const isLineEnd = (character: string | undefined): boolean => character === "\n" || character === "\r\n";
const isSame = (a: string | undefined, b: string | undefined): boolean => a === b || (isLineEnd(a) && isLineEnd(b));

const withLineEnds = (text: string, lineEnd: string): string[] =>
  split(text).map((character) => (isLineEnd(character) ? lineEnd : character));

/** The text after an edit, character by character. The same text if the edit is refused. */
export function editByModel(text: string, edit: LineEdit): string {
  const characters = split(text);
  const first = characters.find(isLineEnd) ?? "\n";
  const lineEndBefore = (position: number): string => characters.slice(0, position).findLast(isLineEnd) ?? first;
  if (edit.type === "append") {
    if (text === "") return edit.content;
    const last = characters.at(-1) ?? "";
    const lineEnd = isLineEnd(last) ? last : first;
    const added = withLineEnds(edit.content, lineEnd);
    const isJoined = isLineEnd(last) || isLineEnd(added[0]) || added.length === 0;
    return [...characters, ...(isJoined ? [] : [lineEnd]), ...added].join("");
  }
  if (edit.type === "insert") return insertByModel(characters, edit, lineEndBefore);
  const search = split(edit.search);
  const places: number[] = [];
  for (let at = 0; at + search.length <= characters.length; at += 1)
    if (search.every((character, index) => isSame(character, characters[at + index]))) places.push(at);
  // Claude's tool counts overlapping places, too.
  if (edit.type === "replace" && places.length !== 1) return text;
  const edited: string[] = [];
  let position = 0;
  let replaced = 0;
  for (const place of places) {
    if (place < position) continue;
    edited.push(...characters.slice(position, place), ...withLineEnds(edit.content, lineEndBefore(place)));
    position = place + search.length;
    replaced += 1;
  }
  if (edit.type === "edit" && replaced !== 1) return text;
  return [...edited, ...characters.slice(position)].join("");
}

function insertByModel(
  characters: string[],
  { after, content }: Extract<LineEdit, { type: "insert" }>,
  lineEndBefore: (position: number) => string,
): string {
  const lines = characters.reduce<string[][]>(
    (all, character) => {
      all.at(-1)?.push(character);
      return isLineEnd(character) ? [...all, []] : all;
    },
    [[]],
  );
  if (lines.at(-1)?.length === 0) lines.pop();
  if (after > lines.length) return characters.join("");
  if (lines.length === 0) return content === "" ? "\n" : content;
  const lineEnd = lineEndBefore(lines.slice(0, after).flat().length);
  const added = withLineEnds(content.replace(/\r?\n$/, ""), lineEnd);
  const isEnded = isLineEnd(characters.at(-1));
  if (after < lines.length || isEnded) lines.splice(after, 0, [...added, lineEnd]);
  else lines.push([lineEnd, ...added, ...(added.length === 0 || isLineEnd(added.at(-1)) ? [lineEnd] : [])]);
  return lines.flat().join("");
}

const piece = fc.constantFrom(
  "a",
  "b",
  "ab",
  " ",
  "é",
  "\n",
  "\r\n",
  "\n",
  "\r\n",
  "a\nb",
  "a\r\nb",
  "\r\n\n",
  "\n\r\n",
);
const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
const search = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(""));

export const mixedText = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));

export const lineEdit: fc.Arbitrary<LineEdit> = fc.oneof(
  fc.record({ type: fc.constant("append" as const), content: text }),
  fc.record({ type: fc.constant("insert" as const), after: fc.nat({ max: 6 }), content: text }),
  fc.record({ type: fc.constantFrom("update" as const, "replace" as const, "edit" as const), search, content: text }),
);

/** Makes an edit by the tool of a dialect, or by deepagents' backend. */
export async function editByTool(memory: Memory, edit: LineEdit): Promise<unknown> {
  const path = "/f";
  const unified = new MemoryTool({ memory });
  const claude = createClaudeMemoryTool(memory, { root: "/" });
  switch (edit.type) {
    case "append":
      return unified.invoke({ command: "append", path, content: edit.content });
    case "update":
      return unified.invoke({ command: "update", path, oldContent: edit.search, content: edit.content });
    case "insert":
      return claude.invoke({ command: "insert", path, insert_line: edit.after, insert_text: edit.content });
    case "replace":
      return claude.invoke({ command: "str_replace", path, old_str: edit.search, new_str: edit.content });
    case "edit":
      return new DeepAgentsBackend(memory).edit(path, edit.search, edit.content);
  }
}
