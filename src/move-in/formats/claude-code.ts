import { posix } from "node:path";
import type { Memory } from "../../core/memory.js";
import { getParent, getPathPrefix, ROOT } from "../../core/values/paths.js";
import type { MoveInFormat } from "../item.js";
import { isMarkdown, takeNote } from "../notes-format.js";
import { openFolder, readFile } from "../read/folder.js";

/**
 * The notes of Claude Code and of other coding agents in a folder: `CLAUDE.md`, `AGENTS.md`, `MEMORY.md` and the notes
 * beside it, `.claude/rules`, and the notes that they link to. Paths and links stay as they are.
 */
export const claudeCode: MoveInFormat = {
  version: "Claude Code 2.1",
  takes: ["folder"],
  async *read(source) {
    const { memory } = await openFolder(source);
    const found = await findFiles(memory);
    const notes = chooseNotes(found.files);
    // A loop over a set also visits elements that are added meanwhile.
    for (const path of notes) {
      const file = await readFile(memory, path);
      if ("why" in file) {
        yield file;
        continue;
      }
      yield takeNote(file);
      for (const link of listLinks(file.content)) {
        const what = `${path}: ${link}`;
        const target = resolveLink(path, link);
        if (target === null) yield { what, why: "the link leads out of the folder" };
        else if (found.files.has(target)) notes.add(target);
        else if (isMarkdown(target)) yield { what, why: "the link leads to no file of the folder" };
      }
    }
    for (const directory of found.unread) yield { what: directory, why: "it is not searched for notes" };
    const others = found.files.size - notes.size;
    if (others > 0) yield { what: `${others} other files`, why: "they are not notes, and no note links to them" };
  },
};

/** Directories of code of others, and hidden ones, are not searched. */
const unreadName = /^(?:node_modules|\.(?!claude$).*)$/;

async function findFiles(memory: Memory): Promise<{ files: Set<string>; unread: string[] }> {
  const files = new Set<string>();
  const unread: string[] = [];
  const directories = [ROOT];
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop())
    for (const { name, kind } of await memory.list(directory)) {
      const path = getPathPrefix(directory) + name;
      if (kind === "file") files.add(path);
      else (unreadName.test(name) ? unread : directories).push(path);
    }
  return { files, unread };
}

function chooseNotes(files: ReadonlySet<string>): Set<string> {
  const isNote = (path: string): boolean =>
    /\/(?:CLAUDE|CLAUDE\.local|AGENTS|MEMORY)\.md$/.test(path) ||
    (isMarkdown(path) && (/\/\.claude\/rules\//.test(path) || files.has(`${getPathPrefix(getParent(path))}MEMORY.md`)));
  return new Set([...files].filter(isNote));
}

/** Lists the links of a note: `@path`, `[text](path)` and `[[path]]`. */
function listLinks(content: string): Set<string> {
  const links = [
    ...content.matchAll(/(?<![\w`@])@((?:~|\.{0,2}\/)?[\w./-]*\w\.\w+)/g),
    ...content.matchAll(/\]\(([^()\s#:]+)(?:#[^()\s]*)?\)/g),
    ...content.matchAll(/\[\[([^[\]|#\n]+)(?:[|#][^[\]\n]*)?\]\]/g),
  ];
  return new Set(links.map(([, path = ""]) => path));
}

/** Returns null for a path outside the folder. */
function resolveLink(path: string, link: string): string | null {
  if (/^[~/]/.test(link)) return null;
  const target = posix.join(posix.dirname(path).slice(1), posix.extname(link) === "" ? `${link}.md` : link);
  return target.startsWith("../") ? null : ROOT + target;
}
