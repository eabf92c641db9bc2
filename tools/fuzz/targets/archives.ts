import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { cli } from "../../../__tests__/helpers/run-cli.js";
import { openDirectoryMemory } from "../../../src/backends/directory/open-directory-memory.js";
import { changeJson, type JsonChange, jsonChange, mutated } from "../../../__tests__/helpers/inputs/mutations.js";
import { text } from "../../../__tests__/helpers/inputs/texts.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { assertClean, canary } from "../oracle.js";
import { toSandbox, type Target } from "../target.js";

/** What is there already, where an export is written. */
type FileKind = "nothing" | "link" | "directory" | "file";

type ArchiveCase =
  | { kind: "lines"; changes: { line: number; change: JsonChange }[]; standardInput: boolean }
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "export"; there: FileKind; overwrite: boolean };

function casesOf(lines: readonly string[]): fc.Arbitrary<ArchiveCase> {
  const kind = <Kind extends ArchiveCase["kind"]>(name: Kind) => fc.constant(name);
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: kind("lines"),
        changes: fc.array(fc.record({ line: fc.nat(lines.length - 1), change: jsonChange() }), { maxLength: 2 }),
        standardInput: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: kind("bytes"),
        bytes: fc.oneof(
          mutated(fc.constant(`${lines.join("\n")}\n`)),
          text.map((each) => Buffer.from(each)),
        ),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: kind("export"),
        there: fc.constantFrom<FileKind>("nothing", "link", "directory", "file"),
        overwrite: fc.boolean(),
      }),
    },
  );
}

/** Where exports and imports go. */
class ArchiveFolder {
  readonly #folder: string;
  readonly outside: string;
  #made = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.outside = join(folder, "outside");
  }

  newPath(): string {
    this.#made += 1;
    return join(this.#folder, `made ${this.#made}`);
  }

  async prepare(): Promise<void> {
    await mkdir(this.#folder);
    await writeFile(this.outside, canary);
  }

  /** Where an export is written. */
  async destination(there: FileKind): Promise<string> {
    const path = this.newPath();
    if (there === "link") await symlink(this.outside, path);
    if (there === "directory") await mkdir(path);
    if (there === "file") await writeFile(path, "x");
    return path;
  }

  async remove(): Promise<void> {
    if ((await readFile(this.outside, "utf8")) !== canary) throw new Error("a file outside of the archive was changed");
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The files of the memory that is exported. */
const sourceFiles = [
  ["/a", "1"],
  ["/dir/b.txt", "two\n"],
  ["/dir/é", ""],
] as const;

export const archives: Target = {
  name: "archives",
  tries: "`export` and `import` with any paths, texts and faulty lines",
  casesPerSandbox: 50,
  open: async (environment, id) => {
    const folder = new ArchiveFolder(join(environment.folder, Buffer.from(id).toString("hex")));
    await folder.prepare();
    const { client, uri, dbName } = environment;
    const store = new MongoMemoryStore({ client, dbName });
    const memory = store.memory({ nodeId: id });
    for (const [path, content] of sourceFiles) await memory.write(path, content);
    const source = ["--uri", uri, "--db", dbName, "--node", id];
    const lines = (await cli(["export", "-", ...source])).stdout.trimEnd().split("\n");
    return toSandbox<ArchiveCase>({
      inputs: casesOf(lines),
      call: async (archive, measure) => {
        const { from, stdin, made } = await archiveOf(archive, folder, lines);
        const overwrite = "overwrite" in archive && archive.overwrite ? ["--overwrite"] : [];
        const to = folder.newPath();
        const command = archive.kind === "export" ? ["export", from, ...source] : ["import", from, "--to-dir", to];
        const { exitCode, stdout, stderr } = await measure(() =>
          cli([...command, ...overwrite], stdin === undefined ? {} : { stdin }),
        );
        assertClean(stdout + stderr, [from, to]);
        if (exitCode > 2) throw new Error(`exit code ${exitCode}: ${stderr}`);
        if (exitCode !== 0 && stderr.trimEnd().includes("\n")) throw new Error(`more than one line: ${stderr}`);
        await assertWritten(to, exitCode);
        for (const path of [to, ...made]) await rm(path, { recursive: true, force: true });
        return `${archive.kind} ${exitCode}`;
      },
      close: async () => {
        await store.forget({ nodeId: id, scope: "global" });
        await folder.remove();
      },
    });
  },
};

async function archiveOf(
  archive: ArchiveCase,
  folder: ArchiveFolder,
  lines: readonly string[],
): Promise<{ from: string; stdin?: Uint8Array; made: string[] }> {
  if (archive.kind === "export") {
    const from = await folder.destination(archive.there);
    return { from, made: [from] };
  }
  const bytes = archive.kind === "bytes" ? archive.bytes : Buffer.from(changedLines(lines, archive));
  if (archive.kind === "lines" && archive.standardInput) return { from: "-", stdin: bytes, made: [] };
  const file = folder.newPath();
  await writeFile(file, bytes);
  return { from: file, made: [file] };
}

function changedLines(lines: readonly string[], { changes }: Extract<ArchiveCase, { kind: "lines" }>): string {
  let archive = "";
  for (const [index, line] of lines.entries()) {
    const ofLine = changes.filter((change) => change.line === index).map(({ change }) => change);
    const changed = ofLine.length === 0 ? line : JSON.stringify(changeJson(JSON.parse(line) as object, ofLine));
    archive += `${changed}\n`;
  }
  return archive;
}

/** All or nothing, and nothing of what lies outside. */
async function assertWritten(to: string, exitCode: number): Promise<void> {
  const { files } = await openDirectoryMemory({ dir: to }).snapshot();
  if (exitCode !== 0 && files.length > 0) throw new Error("an archive that was refused has been brought in");
  if (files.some(({ content }) => content.includes(canary)))
    throw new Error("a file from outside of the archive was brought in");
}
