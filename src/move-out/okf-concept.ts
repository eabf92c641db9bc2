import { isMap, isScalar, parseDocument, type YAMLMap } from "yaml";
import { readFrontMatter } from "../core/search/front-matter.js";
import type { SnapshotFile } from "../core/tree/snapshot.js";
import { isStoredPath } from "../core/values/paths.js";
import { getField } from "../core/values/unknown-values.js";

/** The version of the Open Knowledge Format. Its SPEC.md is in GoogleCloudPlatform/knowledge-catalog. */
export const okfVersion = "0.2";

/** Facts about a file, in the words of the format. */
export interface ConceptFacts {
  /** The author of the text. Null if it is not known. */
  author: string | null;
  verified: readonly { by: string; at: Date }[];
  sources: readonly string[];
}

/** A file of a memory in a bundle. */
export type ConceptFile = Pick<SnapshotFile, "path" | "content" | "createdAt" | "updatedAt">;

/** The key of the last line that is added. So the exact file can be read again. */
const markKey = "langgraph_mongo_memory";

/** Longer front matter stays in the body. Reason: a parser of YAML may take time that grows with its square. */
const maxOwnChars = 4000;

/**
 * Returns a file as a concept. A text without front matter gets one with a type. Front matter gets the fields that it
 * lacks. The text itself is not changed.
 */
export function writeConcept(file: ConceptFile, facts: ConceptFacts): string {
  const { path, content, createdAt, updatedAt } = file;
  const mark = { path, createdAt, updatedAt };
  const own = readOwn(content);
  if (own !== null) {
    const added = [...createFields(file, facts, own.keys), `${markKey}: ${toYaml({ ...mark, own: true })}`];
    const frontMatter = added.map((line) => line + own.lineEnd).join("") + own.frontMatter;
    if (isConcept(frontMatter)) return `---${own.lineEnd}${frontMatter}${own.rest}`;
  }
  return ["---", ...createFields(file, facts, new Set()), `${markKey}: ${toYaml(mark)}`, "---", content].join("\n");
}

function createFields(
  { path, updatedAt }: ConceptFile,
  { author, verified, sources }: ConceptFacts,
  own: ReadonlySet<string>,
): string[] {
  const actor = (by: string, at: Date): string => `{ by: ${toYaml(by)}, at: ${at.toISOString()} }`;
  const fields: Record<string, string | null> = {
    type: "Note",
    sources: listOrNull(sources.map((each) => `{ resource: ${toYaml(each)} }`)),
    generated: author === null ? null : actor(author, updatedAt),
    verified: listOrNull(verified.map(({ by, at }) => actor(by, at))),
    // Notes that `tidy` has moved there are kept, and no longer current.
    status: /^(?:\/.*)?\/archive\//.test(path) ? "deprecated" : null,
  };
  return Object.entries(fields).flatMap(([name, value]) =>
    value === null || own.has(name) ? [] : `${name}: ${value}`,
  );
}

const listOrNull = (values: readonly string[]): string | null =>
  values.length === 0 ? null : `[${values.join(", ")}]`;

/** Returns JSON, which is YAML if characters that not every parser takes are escaped. */
function toYaml(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

interface OwnFrontMatter {
  lineEnd: string;
  frontMatter: string;
  /** The line that closes the front matter, and the text below it. */
  rest: string;
  keys: ReadonlySet<string>;
}

/** Returns the front matter of a text, if fields can be added to it. */
function readOwn(content: string): OwnFrontMatter | null {
  const [opening = "", lineEnd = ""] = /^---(\r?\n)/.exec(content) ?? [];
  const { frontMatter = "", rest = null } = readFrontMatter(content) ?? {};
  const below = content.slice(opening.length + frontMatter.length);
  if (lineEnd === "" || rest === null || frontMatter.length > maxOwnChars || !/^---(?:\r?\n|$)/.test(below))
    return null;
  const keys = readMap(frontMatter)?.items.map(({ key }) => String(isScalar(key) ? key.value : key));
  return keys === undefined ? null : { lineEnd, frontMatter, rest: below, keys: new Set(keys) };
}

/** Returns null for front matter that is no valid YAML, or no map. */
function readMap(frontMatter: string): YAMLMap | null {
  const { contents, errors, warnings } = parseDocument(frontMatter);
  return errors.length === 0 && warnings.length === 0 && isMap(contents) ? contents : null;
}

function isConcept(frontMatter: string): boolean {
  const type: unknown = readMap(frontMatter)?.get("type");
  return typeof type === "string" && type.trim() !== "";
}

/**
 * Returns the file that a concept was made of. A concept of another program is its whole text, at the path in the bundle,
 * and has no times.
 */
export function readConcept(
  text: string,
  bundlePath: string,
): Pick<ConceptFile, "path" | "content"> & Partial<ConceptFile> {
  const other = { path: bundlePath, content: text };
  const { frontMatter = "", rest = null } = readFrontMatter(text) ?? {};
  const [line, json = ""] = new RegExp(`^${markKey}: (\\{.*\\})\\r?\\n`, "m").exec(frontMatter) ?? [];
  const mark = line === undefined ? null : parseMark(json);
  if (line === undefined || rest === null || mark === null) return other;
  const { own, ...file } = mark;
  const opening = text.slice(0, text.indexOf("\n") + 1);
  const added = opening.length + frontMatter.indexOf(line) + line.length;
  return { ...file, content: own ? opening + text.slice(added) : rest };
}

function parseMark(json: string): (Omit<ConceptFile, "content"> & { own: boolean }) | null {
  try {
    const mark: unknown = JSON.parse(json);
    const [path, createdAt, updatedAt] = ["path", "createdAt", "updatedAt"].map((name) => String(getField(mark, name)));
    const times = [new Date(createdAt ?? ""), new Date(updatedAt ?? "")] as const;
    const isWhole = isStoredPath(path ?? "") && times.every((time) => !Number.isNaN(time.getTime()));
    return isWhole
      ? { path: path ?? "", createdAt: times[0], updatedAt: times[1], own: getField(mark, "own") === true }
      : null;
  } catch {
    return null;
  }
}
