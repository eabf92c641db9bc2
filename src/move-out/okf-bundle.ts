import { readFilesFrom, splitIntoBatches } from "../core/bulk.js";
import type { Memory, MemoryOutline } from "../core/memory.js";
import type { FileText, SnapshotFile } from "../core/tree/snapshot.js";
import { getName, getParent, getPathPrefix, ROOT } from "../core/values/paths.js";
import { takeStart } from "../core/values/text.js";
import { getDescription, leadChars } from "../prompt/descriptions.js";
import { okfVersion, writeConcept } from "./okf-concept.js";
import { formatActor, readFacts } from "./okf-facts.js";
import { BundleNames } from "./okf-names.js";

/** The versions that `log.md` names. */
const maxLogged = 1000;

/**
 * Returns the files of a bundle: a concept for each file of the memory, then an index of each directory, then the log if
 * the memory has a history. Keeps a part of the texts in memory.
 */
export async function* createBundle(memory: Memory): AsyncGenerator<FileText> {
  const { files } = await memory.outline();
  const paths = files.map(({ path }) => path);
  const getFacts = await readFacts(memory, paths);
  const names = new BundleNames();
  const bundlePaths = new Map<string, string>();
  const listings: Listings = new Map([[ROOT, []]]);
  for await (const file of readAll(memory, files)) {
    const { path } = file;
    const bundlePath = names.addFile(path);
    bundlePaths.set(path, bundlePath);
    yield { path: bundlePath, content: writeConcept(file, getFacts(file)) };
    const description = getDescription(takeStart(file.content, leadChars));
    addEntry(listings, bundlePath, getName(path), description === null ? "" : ` - ${description}`);
  }
  yield* createIndexes(listings);
  if (memory.history !== null) yield { path: "/log.md", content: await writeLog(memory, bundlePaths) };
}

/** Leaves out files that are meanwhile gone. @throws the error of a file that cannot be read */
async function* readAll(memory: Memory, files: MemoryOutline["files"]): AsyncGenerator<SnapshotFile> {
  for (const batch of splitIntoBatches(files, ({ sizeBytes }) => sizeBytes)) {
    const paths = batch.map(({ path }) => path);
    const found = await readFilesFrom(memory, paths);
    yield* found.values();
    for (const path of paths)
      if (!found.has(path) && (await memory.stat(path))?.kind === "file") await memory.read(path);
  }
}

/** The entries of each directory, by its path. */
type Listings = Map<string, string[]>;

/** Adds an entry to the listing of its directory, and a new directory to the one above it. */
function addEntry(listings: Listings, path: string, title: string, details: string): void {
  const directory = getParent(path);
  const entries = listings.get(directory) ?? [];
  if (!listings.has(directory)) {
    listings.set(directory, entries);
    addEntry(listings, directory, getName(directory), "");
  }
  const ending = listings.has(path) ? "/" : "";
  entries.push(`* [${escapeText(title)}](${encodeUrl(getName(path))}${ending})${details}`);
}

function* createIndexes(listings: Listings): Generator<FileText> {
  for (const [directory, entries] of listings) {
    const version = directory === ROOT ? `---\nokf_version: "${okfVersion}"\n---\n\n` : "";
    yield { path: `${getPathPrefix(directory)}index.md`, content: `${version}# Contents\n\n${entries.join("\n")}\n` };
  }
}

/** Escapes characters that would end the text of a link. */
const escapeText = (text: string): string => text.replaceAll(/[\\[\]]/g, "\\$&");

/** `encodeURI` leaves parentheses, which end the address of a link. */
const encodeUrl = (path: string): string =>
  path
    .split("/")
    .map((name) => encodeURIComponent(name).replaceAll("(", "%28").replaceAll(")", "%29"))
    .join("/");

const words = { created: "Creation", modified: "Update", deleted: "Deletion", renamed: "Rename" } as const;

async function writeLog(memory: Memory, bundlePaths: ReadonlyMap<string, string>): Promise<string> {
  const lines = ["# Log"];
  let day = "";
  for await (const { at, operation, path, from, actor } of memory.history?.list({ limit: maxLogged }) ?? []) {
    const date = at.toISOString().slice(0, 10);
    if (date !== day) lines.push("", `## ${date}`, "");
    day = date;
    const bundlePath = bundlePaths.get(path);
    const name = path === "" ? "a redacted path" : escapeText(path);
    const place = bundlePath === undefined ? name : `[${name}](${encodeUrl(bundlePath)})`;
    const origin = from === undefined ? "" : `, before ${escapeText(from)}`;
    // A program may have named itself over several lines.
    const author = formatActor(actor)?.replaceAll(/\s+/g, " ") ?? null;
    lines.push(`* **${words[operation]}**: ${place}${origin}${author === null ? "" : ` by ${author}`}`);
  }
  return `${lines.join("\n")}\n`;
}
