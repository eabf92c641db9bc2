const pinnedKey = /^pinned[ \t]*:[ \t]*true[ \t]*(?:#.*)?\r?$/m;

/** Whether YAML front matter says `pinned: true`. */
export function readPinnedField(frontMatter: string): boolean {
  return pinnedKey.test(frontMatter);
}

/** A block, a list, a mapping, an alias, an anchor and a tag are no text of one line. */
const descriptionLine = /^description[ \t]*:[ \t]+(?![|>[{*&!])(\S.*)/m;

/** The text after `description:` in YAML front matter, on the same line, without quotes around it. */
export function readDescriptionField(frontMatter: string): string | null {
  const line = descriptionLine.exec(frontMatter)?.[1]?.trim() ?? "";
  const [, , quoted = line] = /^(["'])(.*)\1$/.exec(line) ?? [];
  return quoted === "" ? null : quoted;
}
