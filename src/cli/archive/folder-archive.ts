import { lstat, mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { CommandFault, inputFault, withFile } from "../fault.js";
import { decodeUtf8 } from "../terminal/text-input.js";
import { FileNames, safeName } from "./file-names.js";
import { addressField, addressFrom, archiveFormat, archiveVersion, fileFields, headerFields, parsedAs, sha256Of } from "./manifest.js";
import { checkTree, type FileContent, type Tree, type TreeFile } from "./tree.js";
import { writeWhole } from "./whole-file.js";

const manifestName = "manifest.json";
/** Lies in the folder while an export is under way, or was broken off. */
const markerName = "export-unfinished";
const filesFolder = "files";

const fileSchema = z.object({ ...fileFields, file: z.string() }).strict();
const memorySchema = z.object({ address: addressField, directories: z.array(z.string()), files: z.array(fileSchema) }).strict();
const manifestSchema = z.object({ ...headerFields, memories: z.array(memorySchema) }).strict();

type ManifestFile = z.infer<typeof fileSchema>;
type ManifestMemory = z.infer<typeof memorySchema>;

export interface ExportCounts {
  memories: number;
  written: number;
  unchanged: number;
}

export interface FolderExportOptions {
  /** Brings an export that is there up to date. */
  overwrite: boolean;
  /** Several memories, each in a folder of its own. */
  many: boolean;
  onTree: (files: number) => void;
  onFile: () => void;
}

/**
 * The manifest is written last, so that an export that was broken off cannot be imported; run again, it goes on.
 * @throws CommandFault
 */
export async function exportToFolder(trees: AsyncIterable<Tree>, folder: string, options: FolderExportOptions): Promise<ExportCounts> {
  await withFile(folder, "write", () => prepareFolder(folder, options.overwrite));
  const names = new FileNames();
  const memories: ManifestMemory[] = [];
  const counts: ExportCounts = { memories: 0, written: 0, unchanged: 0 };
  for await (const tree of trees) {
    options.onTree(tree.files.length);
    const files: ManifestFile[] = [];
    for (const { path, load } of tree.files) {
      const { content, createdAt, updatedAt } = await load();
      const file = names.fileNameFor(path, options.many ? `${filesFolder}/${memoryFolder(tree)}` : filesFolder, JSON.stringify(tree.address));
      const bytes = Buffer.from(content);
      const isNew = await withFile(join(folder, file), "write", () => writeIfDifferent(folder, file, bytes));
      counts[isNew ? "written" : "unchanged"] += 1;
      const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
      files.push({ path, file, sizeBytes: bytes.length, sha256: sha256Of(bytes), ...times });
      options.onFile();
    }
    memories.push({ address: tree.address, directories: tree.directories, files });
    counts.memories += 1;
  }
  const manifest = { format: archiveFormat, version: archiveVersion, memories };
  await withFile(folder, "write", async () => {
    await removeOthers(join(folder, filesFolder), filesFolder, new Set(memories.flatMap(({ files }) => files.map(({ file }) => file))));
    await writeWhole(join(folder, manifestName), (handle) => handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`));
    await rm(join(folder, markerName), { force: true });
  });
  return counts;
}

async function prepareFolder(folder: string, overwrite: boolean): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(folder);
  const isExport = names.includes(manifestName) && names.includes(filesFolder);
  if (isExport && !names.includes(markerName) && !overwrite) {
    throw new CommandFault("EEXIST", `${folder}: it holds an export already; pass --overwrite to bring that up to date, or name a new folder`);
  }
  if (names.length > 0 && !isExport && !names.includes(markerName)) {
    throw new CommandFault("EEXIST", `${folder}: it is not empty, and holds no export; name a new or an empty folder`);
  }
  await assertNoLinks(folder, markerName);
  await writeFile(join(folder, markerName), "Run the export again to finish it.\n");
  await assertNoLinks(folder, filesFolder);
  await mkdir(join(folder, filesFolder), { recursive: true });
}

/** The folder of a memory in an export of several, such as `assistant/global` and `assistant/threads/ada`. */
function memoryFolder({ address }: Tree): string {
  if (address === null) return "folder";
  const short = (id: string): string => {
    const name = safeName(id);
    return name.length <= 40 ? name : `~${sha256Of(id).slice(0, 32)}`;
  };
  return address.scope === "global" ? `${short(address.nodeId)}/global` : `${short(address.nodeId)}/threads/${short(address.threadId)}`;
}

async function writeIfDifferent(folder: string, file: string, bytes: Buffer): Promise<boolean> {
  await assertNoLinks(folder, file);
  const target = join(folder, file);
  const there = await readIfThere(target);
  if (there?.equals(bytes) === true) return false;
  await mkdir(dirname(target), { recursive: true });
  await writeWhole(target, (handle) => handle.writeFile(bytes));
  return true;
}

async function readIfThere(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** What earlier runs have left. */
async function removeOthers(directory: string, name: string, kept: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const inner = `${name}/${entry.name}`;
    if (entry.isDirectory()) {
      await removeOthers(join(directory, entry.name), inner, kept);
      await rmdir(join(directory, entry.name)).catch(() => undefined);
    } else if (!kept.has(inner)) {
      await rm(join(directory, entry.name));
    }
  }
}

/** All of it is checked before this answers, and each file once more as it is loaded. @throws CommandFault EINPUT */
export async function readFolderArchive(folder: string): Promise<Tree[]> {
  const where = join(folder, manifestName);
  const manifest = await readManifest(folder, where);
  const trees = manifest.memories.map(({ address, directories, files }, index): Tree => {
    const treeFiles = files.map((file): TreeFile => ({ path: file.path, sizeBytes: file.sizeBytes, load: () => loadFile(folder, file, where) }));
    return { address: addressFrom(address, `${where}: memories.${index}`), directories, files: treeFiles };
  });
  for (const tree of trees) checkTree(tree, where);
  for (const file of trees.flatMap(({ files }) => files)) await file.load();
  return trees;
}

async function readManifest(folder: string, where: string): Promise<z.infer<typeof manifestSchema>> {
  const names = await withFile(folder, "read", () => readdir(folder));
  if (names.includes(markerName)) throw inputFault(`${folder}: the export in it was broken off; run that export again first`);
  if (!names.includes(manifestName)) throw inputFault(`${folder}: there is no ${manifestName} in it; name a folder that export has made`);
  const bytes = await withFile(where, "read", () => readFile(where));
  return parsedAs(manifestSchema, decodeUtf8(bytes, where), where);
}

async function loadFile(folder: string, { path, file, sizeBytes, sha256, createdAt, updatedAt }: ManifestFile, where: string): Promise<FileContent> {
  if (!isInside(file)) throw inputFault(`${where}: ${path}: the file name ${JSON.stringify(file)} leaves the folder; it must be a relative one below it`);
  const target = join(folder, file);
  const bytes = await withFile(target, "read", async () => {
    await assertNoLinks(folder, file);
    const found = await stat(target);
    if (!found.isFile()) throw inputFault(`${target}: it is not a regular file; export it again`);
    if (found.size !== sizeBytes) throw changed(target);
    return readFile(target);
  });
  if (sha256Of(bytes) !== sha256) throw changed(target);
  return { content: decodeUtf8(bytes, target), createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

function changed(target: string): CommandFault {
  return inputFault(`${target}: it is not the file that the manifest describes, by size or SHA-256; export it again, or take its entry out of the manifest`);
}

/** By the rules of all systems at once: neither absolute nor upwards, no drive, no stream, no NUL. */
function isInside(file: string): boolean {
  return !/[\\:\0]/.test(file) && file.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

/** @throws CommandFault EINPUT where a part of the name is a link, which may lead anywhere */
async function assertNoLinks(folder: string, file: string): Promise<void> {
  let current = folder;
  for (const segment of file.split("/")) {
    current = join(current, segment);
    const found = await lstat(current).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    if (found === null) return;
    if (found.isSymbolicLink()) throw inputFault(`${current}: it is a link, and could lead out of the folder; put the file itself there`);
  }
}
