import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { openDirectoryMemory } from "../../src/backends/directory/open-directory-memory.js";
import { JournalBench } from "./journal-scenario.js";

/** A journal in a real workspace, whose hands are real too. */
export class FolderBench extends JournalBench {
  readonly workspace: string;

  /**
   * @param openAt the folder of the workspace that the memory is, "" for itself; @param root the journal's in the
   * memory
   */
  constructor(parent: string, openAt: string, root: string) {
    const workspace = mkdtempSync(join(parent, "workspace-"));
    super(root, openDirectoryMemory({ dir: join(workspace, openAt) }));
    this.workspace = workspace;
  }

  override async put(path: string, content: string | Uint8Array): Promise<void> {
    mkdirSync(dirname(join(this.workspace, path)), { recursive: true });
    writeFileSync(join(this.workspace, path), content);
  }

  override async remove(path: string): Promise<void> {
    rmSync(join(this.workspace, path), { recursive: true });
  }

  /** All real files but the reservations and those of the backend. */
  override async files(): Promise<Record<string, string>> {
    return filesBelow(this.workspace);
  }
}

/**
 * The texts of all files below a folder by their path, without what the journal and the backend keep for themselves.
 */
export function filesBelow(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const paths = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  const files = paths.filter(
    (path) => lstatSync(path).isFile() && !/\/\.(?:journal|langgraph-mongo-memory)\//.test(path),
  );
  return Object.fromEntries(files.map((path) => [relative(folder, path), readFileSync(path, "utf8")]));
}
