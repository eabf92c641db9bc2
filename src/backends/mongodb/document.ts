import type { ObjectId } from "mongodb";
import type { CheckedAddress } from "../../core/address.js";
import type { MemorySnapshot, SnapshotFile } from "../../core/memory.js";
import { parentsOf, ROOT, segmentsOf } from "../../core/paths.js";
import { utf8Bytes } from "../../core/text.js";

/** One memory: the layout of specification section 5 (ADR 0002). */
export interface MemoryDocument {
  _id: ObjectId;
  nodeId: string;
  scope: "global" | "perThread";
  threadId?: string;
  /** Text by stored key. */
  data?: Record<string, string>;
  dirs?: Record<string, true>;
  meta?: Record<string, FileMeta>;
  /** Absent in documents of the earlier system, whose `data` may hold nested objects. */
  revision?: number;
  createdAt?: Date;
  updatedAt?: Date;
}

interface FileMeta {
  createdAt: Date;
  updatedAt: Date;
}

/**
 * `/a/b` is the literal key `a.b`. Escaped is what the dotted form cannot carry: `.` (the separator), `%` (the escape)
 * and `$` at the start of a segment (an operator to MongoDB). ADR paths have none of them and keep their keys.
 */
export function keyOf(path: string): string {
  return segmentsOf(path)
    .map((segment) => segment.replaceAll("%", "%25").replaceAll(".", "%2E").replace(/^\$/, "%24"))
    .join(".");
}

export function pathOf(key: string): string {
  const segments = key.split(".").map((segment) => segment.replaceAll(/%(?:2E|24|25)/g, unescape));
  return ROOT + segments.join("/");
}

function unescape(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
}

/** Exactly the fields of the unique index, in equality: only then does the server retry a racing upsert by itself. */
export function filterOf(address: CheckedAddress): { nodeId: string; scope: string; threadId?: string } {
  return { ...address };
}

/** The files and directories of a document in today's layout or the earlier one, in which any object is a directory. */
export function snapshotOf(document: MemoryDocument | null): MemorySnapshot {
  const files: SnapshotFile[] = [];
  const directories = new Set<string>();
  const fallback = document?.createdAt ?? document?._id?.getTimestamp() ?? new Date(0);
  const addFile = (key: string, content: string): void => {
    const path = pathOf(key);
    const meta = ownValue(document?.meta, key);
    const times = {
      createdAt: meta?.createdAt ?? fallback,
      updatedAt: meta?.updatedAt ?? document?.updatedAt ?? fallback,
    };
    files.push({ path, kind: "file", content, sizeBytes: utf8Bytes(content), ...times });
    for (const parent of parentsOf(path)) directories.add(parent);
  };
  visit(document?.data, "", addFile, (key) => directories.add(pathOf(key)));
  visit(document?.dirs, "", () => undefined, (key) => directories.add(pathOf(key)));
  return { files, directories: [...directories], revision: document?.revision ?? 0 };
}

function visit(
  value: object | undefined,
  prefix: string,
  onText: (key: string, text: string) => void,
  onDirectory: (key: string) => void,
): void {
  for (const [name, child] of Object.entries<unknown>({ ...value })) {
    const key = prefix + name;
    if (typeof child === "string") {
      onText(key, child);
    } else {
      onDirectory(key);
      if (typeof child === "object" && child !== null) visit(child, `${key}.`, onText, onDirectory);
    }
  }
}

/** `record[key]` for own keys only: a file may be called `constructor`. */
export function ownValue<T>(record: Record<string, T> | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The fields of today's layout for what `snapshotOf` read from the earlier one. */
export function flatFieldsOf(snapshot: MemorySnapshot): Required<Pick<MemoryDocument, "data" | "dirs" | "meta">> {
  return {
    data: Object.fromEntries(snapshot.files.map((file) => [keyOf(file.path), file.content])),
    dirs: Object.fromEntries(snapshot.directories.map((path) => [keyOf(path), true as const])),
    meta: Object.fromEntries(
      snapshot.files.map(({ path, createdAt, updatedAt }) => [keyOf(path), { createdAt, updatedAt }]),
    ),
  };
}
