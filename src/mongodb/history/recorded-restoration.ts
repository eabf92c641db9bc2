import type { Restoration } from "./history-source.js";
import type { RecordedFile } from "./outbox.js";

/** What a restoration does to files. First what goes, as it may make room for the rest. */
export function recordedFiles({ files, renamed, tree }: Restoration): RecordedFile[] {
  const present = new Map(tree.files.map(({ path, content }) => [path, content]));
  const sources = new Set(renamed.values());
  const gone: RecordedFile[] = [];
  const moved: RecordedFile[] = [];
  const written: RecordedFile[] = [];
  for (const [path, content] of files) {
    const from = renamed.get(path);
    const before = present.get(from ?? path);
    const replaced = before === undefined ? {} : { before };
    if (content === null) {
      if (!sources.has(path)) gone.push({ path, gone: true, ...replaced });
      continue;
    }
    if (from !== undefined) moved.push({ path, from, gone: false });
    if (before !== content) written.push({ path, gone: false, ...replaced });
  }
  return [...gone, ...moved, ...written];
}
