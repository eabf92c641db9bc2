import { readFrontMatter } from "../../core/search/front-matter.js";
import { isMarkdown, notesFormat, takeNote } from "../notes-format.js";

/** Letta's MemFS. What Letta shows in every prompt, the directory `system`, is pinned. */
export const letta = notesFormat({
  version: "letta-code 0.30.29",
  leavesOut: (path) => (isMarkdown(path) || path.startsWith("/skills/") ? null : "it is not a memory of Letta"),
  toEntry: (file) => takeNote(file.path.startsWith("/system/") ? { ...file, content: pin(file.content) } : file),
});

function pin(content: string): string {
  const start = readFrontMatter(content);
  if (start === null || start.rest === null) return `---\npinned: true\n---\n${content}`;
  if (/^pinned[ \t]*:/m.test(start.frontMatter)) return content;
  return `---\n${start.frontMatter}pinned: true\n---\n${start.rest}`;
}
