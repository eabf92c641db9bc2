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
import { openDirectoryMemory } from "../../src/backends/directory/index.js";
import { JournalBench } from "./journal-scenario.js";

/** A journal in a real workspace, whose files are also changed outside the tools. */
export class FolderBench extends JournalBench {
  readonly workspace: string;

  /**
   * @param openAt the folder of the workspace that is the memory, "" for the workspace itself; @param root the
   * journal's root in the memory
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

  /** Reads all real files except the reservations and the backend's own files. */
  override async files(): Promise<Record<string, string>> {
    return filesBelow(this.workspace);
  }
}

/** Reads the texts of all files below a folder, by path, except the journal's and the backend's own files. */
export function filesBelow(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const paths = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  const files = paths.filter(
    (path) => lstatSync(path).isFile() && !/\/\.(?:journal|langgraph-mongo-memory)\//.test(path),
  );
  return Object.fromEntries(files.map((path) => [relative(folder, path), readFileSync(path, "utf8")]));
}
