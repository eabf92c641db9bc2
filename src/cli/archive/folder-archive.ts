import { createHash } from "node:crypto";
import { type FileHandle, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { OpenDirectory } from "../../backends/directory/open-directory.js";
import type { ArchivedHistory, ArchivedVersion } from "../../core/history/archived-version.js";
import { sha256Of } from "../../core/values/sha256.js";
import { CommandFault, inputFault, withFile } from "../fault.js";
import { decodeUtf8 } from "../terminal/text-input.js";
import { revisionField, versionSchema } from "./archived-history.js";
import { FileNames, safeName } from "./file-names.js";
import { checkedHistory, exportAdvice } from "./history-check.js";
import { directoryMode, inParentOf, readBytes, removeOthers, withRegularFile } from "./inside-folder.js";
import {
  addressField,
  addressFrom,
  archiveFormat,
  archiveVersions,
  fileFields,
  headerFields,
  parsedAs,
  sha256Field,
} from "./manifest.js";
import { type Line, readLines } from "./json-lines.js";
import { checkTree, type FileContent, type Tree, type TreeFile } from "./tree.js";
import { VersionLines } from "./version-lines.js";
import { writeWhole } from "./whole-file.js";

const manifestName = "manifest.json";
/** Lies in the folder while an export is under way, or was broken off. */
const markerName = "export-unfinished";
const markerText = "Run the export again to finish it.\n";
/** Of some two million files, and less than the longest text that JavaScript can hold. */
const maxManifestBytes = 500_000_000;
const filesFolder = "files";
/** Of a file of versions for each memory, a line each. */
const historyFolder = "history";

const fileSchema = z.object({ ...fileFields, file: z.string() }).strict();
const historySchema = z
  .object({ file: z.string(), revision: revisionField, sizeBytes: z.number().int().min(0), sha256: sha256Field })
  .strict();
const memorySchema = z
  .object({
    address: addressField,
    directories: z.array(z.string()),
    files: z.array(fileSchema),
    history: historySchema.optional(),
  })
  .strict();
const headerSchema = z.object(headerFields);
const manifestSchema = z.object({ ...headerFields, memories: z.array(memorySchema) }).strict();

type ManifestFile = z.infer<typeof fileSchema>;
type ManifestMemory = z.infer<typeof memorySchema>;

export interface ExportCounts {
  memories: number;
  written: number;
  unchanged: number;
  versions: number;
}

export interface FolderExportOptions {
  /** Brings an export that is there up to date. */
  overwrite: boolean;
  /** Several memories, each in a folder of its own. */
  many: boolean;
  /** Whether memories come with their histories. */
  history: boolean;
  onTree: (files: number) => void;
  onFile: () => void;
}

/**
 * The manifest is written last, so that an export that was broken off cannot be imported; run again, it goes on.
 * @throws CommandFault
 */
export async function exportToFolder(
  trees: AsyncIterable<Tree>,
  folder: string,
  options: FolderExportOptions,
): Promise<ExportCounts> {
  await withFile(folder, "write", () => prepareFolder(folder, options.overwrite));
  const names = new FileNames();
  const memories: ManifestMemory[] = [];
  const counts: ExportCounts = { memories: 0, written: 0, unchanged: 0, versions: 0 };
  for await (const tree of trees) {
    options.onTree(tree.files.length);
    const files: ManifestFile[] = [];
    for (const { path, load } of tree.files) {
      const { content, createdAt, updatedAt } = await load();
      const file = names.fileNameFor(
        path,
        options.many ? `${filesFolder}/${memoryFolder(tree)}` : filesFolder,
        JSON.stringify(tree.address),
      );
      const bytes = Buffer.from(content);
      const isNew = await withFile(join(folder, file), "write", () => writeIfDifferent(folder, file, bytes));
      counts[isNew ? "written" : "unchanged"] += 1;
      const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
      files.push({ path, file, sizeBytes: bytes.length, sha256: sha256Of(bytes), ...times });
      options.onFile();
    }
    const history = await writeHistory(
      folder,
      `${historyFolder}/${options.many ? memoryFolder(tree) : "memory"}.jsonl`,
      tree,
    );
    counts.versions += history?.versions ?? 0;
    memories.push({
      address: tree.address,
      directories: tree.directories,
      files,
      ...(history && { history: history.described }),
    });
    counts.memories += 1;
  }
  const manifest = {
    format: archiveFormat,
    version: options.history ? archiveVersions.withHistory : archiveVersions.plain,
    memories,
  };
  await withFile(folder, "write", async () => {
    const kept = new Set(memories.flatMap(({ files }) => files.map(({ file }) => file)));
    await inParentOf(folder, `${filesFolder}/`, {}, (directory) => removeOthers(directory, filesFolder, kept));
    if (!options.history) await rm(join(folder, historyFolder), { recursive: true, force: true });
    await writeWhole(join(folder, manifestName), (handle) =>
      handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`),
    );
    await rm(join(folder, markerName), { force: true });
  });
  return counts;
}

interface WrittenHistory {
  described: z.infer<typeof historySchema>;
  versions: number;
}

/** Newest first. Null where there is none. */
async function writeHistory(folder: string, file: string, tree: Tree): Promise<WrittenHistory | null> {
  const { history, address } = tree;
  if (history === null) return null;
  const hash = createHash("sha256");
  let sizeBytes = 0;
  const { versions } = await withFile(join(folder, file), "write", () =>
    inParentOf(folder, file, { makes: true }, (directory, name) =>
      writeWhole(directory.pathTo(name), (handle) =>
        checkedHistory(tree, exportAdvice(address), async (version) => {
          const line = Buffer.from(`${JSON.stringify(version)}\n`);
          hash.update(line);
          sizeBytes += line.length;
          await handle.writeFile(line);
        }),
      ),
    ),
  );
  return { described: { file, revision: history.revision, sizeBytes, sha256: hash.digest("hex") }, versions };
}

async function prepareFolder(folder: string, overwrite: boolean): Promise<void> {
  await mkdir(folder, { recursive: true, mode: directoryMode });
  const names = await readdir(folder);
  const isUnfinished = names.includes(markerName);
  if (names.length > 0) await assertOurs(folder, names);
  if (names.length > 0 && !isUnfinished && !overwrite) {
    throw new CommandFault(
      "EEXIST",
      `${folder}: it holds an export already; pass --overwrite to bring that up to date, or name a new folder`,
    );
  }
  await writeWhole(join(folder, markerName), (handle) => handle.writeFile(markerText));
  await inParentOf(folder, `${filesFolder}/`, { makes: true }, () => Promise.resolve());
}

/**
 * Only what an export has made is replaced or removed: told by what its files hold, as others use such names, too.
 * @throws CommandFault
 */
async function assertOurs(folder: string, names: readonly string[]): Promise<void> {
  const isMade = names.includes(manifestName) && (await isManifest(folder));
  const isBegun = names.includes(markerName) && (await isMarker(folder));
  const isOther = (names.includes(manifestName) && !isMade) || (names.includes(markerName) && !isBegun);
  if (isOther || (!isMade && !isBegun)) {
    throw new CommandFault("EEXIST", `${folder}: it is not empty, and holds no export; name a new or an empty folder`);
  }
}

async function isManifest(folder: string): Promise<boolean> {
  const where = join(folder, manifestName);
  const bytes = await manifestBytes(folder, where);
  if (bytes === null) return false;
  try {
    parsedAs(headerSchema, decodeUtf8(bytes, where), where);
    return true;
  } catch {
    return false;
  }
}

async function isMarker(folder: string): Promise<boolean> {
  const read = withRegularFile(
    OpenDirectory.root(folder),
    markerName,
    async (handle, sizeBytes) =>
      sizeBytes === markerText.length && (await readBytes(handle, sizeBytes)).equals(Buffer.from(markerText)),
  );
  return (await read) === true;
}

/** The folder of a memory in an export of several, such as `assistant/global` and `assistant/threads/ada`. */
function memoryFolder({ address }: Tree): string {
  if (address === null) return "folder";
  const short = (id: string): string => {
    const name = safeName(id);
    return name.length <= 40 ? name : `~${sha256Of(id).slice(0, 32)}`;
  };
  const node = short(address.nodeId);
  if (address.scope === "global") return `${node}/global`;
  return address.scope === "perThread"
    ? `${node}/threads/${short(address.threadId)}`
    : `${node}/users/${short(address.userId)}`;
}

async function writeIfDifferent(folder: string, file: string, bytes: Buffer): Promise<boolean> {
  return inParentOf(folder, file, { makes: true }, async (directory, name) => {
    const isThere = await withRegularFile(
      directory,
      name,
      async (handle, sizeBytes) => sizeBytes === bytes.length && (await readBytes(handle, sizeBytes)).equals(bytes),
    );
    if (isThere === true) return false;
    await writeWhole(directory.pathTo(name), (handle) => handle.writeFile(bytes));
    return true;
  });
}

/** All of it is checked before this answers, and each file once more as it is loaded. @throws CommandFault EINPUT */
export async function readFolderArchive(folder: string): Promise<Tree[]> {
  const where = join(folder, manifestName);
  const manifest = await readManifest(folder, where);
  const trees = manifest.memories.map(({ address, directories, files, history }, index): Tree => {
    const treeFiles = files.map((file): TreeFile => ({
      path: file.path,
      sizeBytes: file.sizeBytes,
      load: () => loadFile(folder, file, where),
    }));
    const checked = addressFrom(address, `${where}: memories.${index}`);
    return {
      address: checked,
      directories,
      files: treeFiles,
      history: history === undefined ? null : historyIn(folder, history, where),
    };
  });
  for (const tree of trees) checkTree(tree, where);
  for (const file of trees.flatMap(({ files }) => files)) await file.load();
  for (const { history } of trees) await history?.each(() => undefined);
  return trees;
}

async function readManifest(folder: string, where: string): Promise<z.infer<typeof manifestSchema>> {
  const names = await withFile(folder, "read", () => readdir(folder));
  if (names.includes(markerName))
    throw inputFault(`${folder}: the export in it was broken off; run that export again first`);
  const bytes = await withFile(where, "read", () => manifestBytes(folder, where));
  if (bytes === null)
    throw inputFault(`${folder}: there is no ${manifestName} in it; name a folder that export has made`);
  return parsedAs(manifestSchema, decodeUtf8(bytes, where), where);
}

function manifestBytes(folder: string, where: string): Promise<Buffer | null> {
  return withRegularFile(OpenDirectory.root(folder), manifestName, async (handle, sizeBytes) => {
    if (sizeBytes > maxManifestBytes)
      throw inputFault(`${where}: it has ${sizeBytes} bytes, of ${maxManifestBytes} at most; export to JSONL instead`);
    return readBytes(handle, sizeBytes);
  });
}

/** Where a version lies in the file of a history. */
type VersionPlace = Pick<Line, "offset" | "number"> & { length: number };

function historyIn(
  folder: string,
  { file, revision, sizeBytes, sha256 }: z.infer<typeof historySchema>,
  where: string,
): ArchivedHistory {
  if (!isInside(file)) throw leavesFolder(where, "history", file);
  const target = join(folder, file);
  const versionIn = (bytes: Buffer, number: number): ArchivedVersion =>
    parsedAs(versionSchema, decodeUtf8(bytes, target), `${target}: line ${number}`);
  const withHandle = async (run: (handle: FileHandle) => Promise<void>): Promise<void> => {
    const read = await withFile(target, "read", () =>
      inParentOf(folder, file, {}, (directory, name) =>
        withRegularFile(directory, name, async (handle, foundBytes) => {
          if (foundBytes !== sizeBytes) throw changed(target);
          await run(handle);
          return true;
        }),
      ),
    );
    if (read === null) throw inputFault(`${target}: there is no such file or folder; export it again`);
  };
  /** Known once all was read. */
  let lines: VersionLines<VersionPlace> | null = null;
  const each: ArchivedHistory["each"] = async (use) => {
    const hash = createHash("sha256");
    const found = new VersionLines<VersionPlace>();
    await withHandle(async (handle) => {
      for await (const { bytes, offset, number } of readLines(handle, target)) {
        hash.update(bytes).update("\n");
        const version = versionIn(bytes, number);
        found.add(version.file, { offset, number, length: bytes.length });
        await use(version);
      }
    });
    if (hash.digest("hex") !== sha256) throw changed(target);
    lines = found;
  };
  const eachOf: ArchivedHistory["eachOf"] = async (files, use) => {
    if (lines === null) await each(() => undefined);
    const places = lines?.of(files) ?? [];
    await withHandle(async (handle) => {
      for (const { offset, number, length } of places)
        await use(versionIn(await readBytes(handle, length, offset), number));
    });
  };
  return { revision, each, eachOf };
}

async function loadFile(
  folder: string,
  { path, file, sizeBytes, sha256, createdAt, updatedAt }: ManifestFile,
  where: string,
): Promise<FileContent> {
  if (!isInside(file)) throw leavesFolder(where, path, file);
  const target = join(folder, file);
  const bytes = await withFile(target, "read", () =>
    inParentOf(folder, file, {}, (directory, name) =>
      withRegularFile(directory, name, async (handle, foundBytes) => {
        // `sizeBytes` is no more than a memory can hold.
        if (foundBytes !== sizeBytes) throw changed(target);
        return readBytes(handle, sizeBytes);
      }),
    ),
  );
  if (bytes === null) throw inputFault(`${target}: there is no such file or folder; export it again`);
  if (sha256Of(bytes) !== sha256) throw changed(target);
  return { content: decodeUtf8(bytes, target), createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

function leavesFolder(where: string, what: string, file: string): CommandFault {
  return inputFault(
    `${where}: ${what}: the file name ${JSON.stringify(file)} leaves the folder; it must be a relative one below it`,
  );
}

function changed(target: string): CommandFault {
  return inputFault(
    `${target}: it is not the file that the manifest describes, by size or SHA-256; export it again, or take its entry out of the manifest`,
  );
}

/** By the rules of all systems at once: neither absolute nor upwards, no drive, no stream, no NUL. */
function isInside(file: string): boolean {
  return (
    !/[\\:\0]/.test(file) && file.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..")
  );
}
