const key = /^description[ \t]*:(?=[ \t\r\n]|$)([^\r\n]*)/m;

const pinnedKey = /^pinned[ \t]*:[ \t]*true[ \t]*(?:#.*)?\r?$/m;

/** Whether YAML front matter says `pinned: true`. */
export function readPinnedField(frontMatter: string): boolean {
  return pinnedKey.test(frontMatter);
}

/**
 * The `description` of YAML front matter, in one line: a plain text, a quoted one, or a block (`>` or `|`). A list, a
 * mapping, an alias and a value with an anchor or a tag are none. A YAML library takes time that grows with the square
 * of the brackets in it, and a model reads many notes at each call. This takes linear time.
 */
export function readDescriptionField(frontMatter: string): string | null {
  const field = key.exec(frontMatter);
  if (field === null) return null;
  const [{ length }, value = ""] = field;
  // The lines that belong to the value are indented, or empty.
  const below = /^(?:\r?\n(?:[ \t][^\r\n]*)?(?=\r?\n|$))*/.exec(frontMatter.slice(field.index + length));
  const line =
    readValue(value.trim(), below?.[0] ?? "")
      ?.replaceAll(/\s+/g, " ")
      .trim() ?? "";
  return line === "" ? null : line;
}

const block = /^[|>][-+1-9]*(?:[ \t]+#.*)?$/;
const comment = /(?:^|[ \t])#.*$/gm;
/** A value that begins with one of these is not plain text. */
const otherStart = /^(?:[[\]{},&*!|>%@`]|[-?:](?:\s|$))/;
const entry = /^\S+:(?:\s|$)/;

/** @param below the lines below the key that belong to its value */
function readValue(value: string, below: string): string | null {
  if (block.test(value)) return below;
  const text = (value + below).trim();
  if (text.startsWith('"')) return readDoubleQuoted(text);
  if (text.startsWith("'")) return /^'((?:[^']|'')*)'/.exec(text)?.[1]?.replaceAll("''", "'") ?? null;
  const plain = text.replaceAll(comment, "").trim();
  const isMapping = value === "" && entry.test(plain);
  return isMapping || otherStart.test(plain) || plain === "~" || plain === "null" ? null : plain;
}

const escape = /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([^]))/gi;
const letters: Readonly<Record<string, string>> = {
  0: "\0",
  a: "\u0007",
  b: "\b",
  e: "\u001B",
  N: "\u0085",
  ...Object.fromEntries(Array.from("fnrtv_LP", (letter) => [letter, " "])),
};

function readDoubleQuoted(text: string): string | null {
  const [, quoted] = /^"((?:[^"\\]|\\[^])*)"/.exec(text) ?? [];
  // A backslash at the end of a line joins it with the next.
  return (
    quoted
      ?.replaceAll(/\\\r?\n[ \t]*/g, "")
      .replaceAll(escape, (_, x?: string, u?: string, long?: string, letter?: string) => {
        const unit = x ?? u ?? long;
        if (unit !== undefined) return readCodePoint(Number.parseInt(unit, 16));
        return letters[letter ?? ""] ?? letter ?? "";
      }) ?? null
  );
}

function readCodePoint(codePoint: number): string {
  return codePoint > 0x10_ff_ff ? "" : String.fromCodePoint(codePoint);
}
