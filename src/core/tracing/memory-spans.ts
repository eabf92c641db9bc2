import type { MemoryActor } from "../values/actor.js";
import type { CheckedAddress } from "../values/address.js";
import type { DeletedCounts, Memory, MemoryEntry, MemoryStat, OutlineFile, WriteOptions } from "../memory.js";
import type { GrepMatch, SearchHit } from "../search/search-options.js";
import {
  placeAttributes,
  queryAttributes,
  recordAttributes,
  recordsAttributes,
  type ServerAddress,
  type SpanRecord,
} from "./memory-attributes.js";
import { isTraced, type MemoryOperation, type SpanAttributes, traced } from "./tracing.js";

/** What a span tells of a memory and of who uses it. */
export interface TracedMemory {
  address: CheckedAddress;
  actor: MemoryActor | null;
  /** Undefined where the memory lies in this process, or in its files. */
  server: ServerAddress | undefined;
}

/** What a span tells of a method of Memory. Arguments may be anything: nobody has checked them. */
interface TracedMethod {
  operation: MemoryOperation | ((args: readonly unknown[]) => MemoryOperation);
  /** Beside the memory. */
  attributes?: (args: readonly unknown[]) => SpanAttributes;
  answered?: (answer: never, args: readonly unknown[]) => SpanAttributes;
}

const onePath = ([path]: readonly unknown[]): SpanAttributes => recordAttributes(path);
const ofFiles = ({ files }: { files: readonly OutlineFile[] }): SpanAttributes =>
  recordsAttributes(files.map(fileRecord));
const ofFound = (found: readonly { path: string; content: string }[]): SpanAttributes =>
  recordsAttributes(found.map(fileRecord));

/** A change of one file by a text. */
const change = (operation: TracedMethod["operation"], command: string, contentAt: number): TracedMethod => ({
  operation,
  attributes: ([path, ...rest]) => {
    const content = rest[contentAt - 1];
    const record = { id: String(path), ...(typeof content === "string" && { content }), metadata: { command } };
    return { ...recordAttributes(path), ...recordsAttributes([record], 1) };
  },
});

const methods = {
  read: {
    operation: "search_memory",
    attributes: onePath,
    answered: (content: string, [path]) => recordsAttributes([{ id: String(path), content }]),
  },
  readFiles: {
    operation: "search_memory",
    answered: (texts: readonly (string | null)[], [paths]) =>
      recordsAttributes(
        texts.flatMap((content, index) =>
          content === null ? [] : [{ id: String((paths as unknown[])[index]), content }],
        ),
      ),
  },
  findFiles: { operation: "search_memory", attributes: ([texts]) => queryAttributes(texts), answered: ofFound },
  list: {
    operation: "search_memory",
    attributes: onePath,
    answered: (entries: readonly MemoryEntry[]) => recordsAttributes([], entries.length),
  },
  stat: {
    operation: "search_memory",
    attributes: onePath,
    answered: (stat: MemoryStat | null) => recordsAttributes([], stat === null ? 0 : 1),
  },
  snapshot: { operation: "search_memory", answered: ofFiles },
  outline: { operation: "search_memory", answered: ofFiles },
  search: {
    operation: "search_memory",
    attributes: ([query]) => queryAttributes(query),
    answered: (hits: readonly SearchHit[]) =>
      recordsAttributes(
        hits.map(({ path, text, score, startLine, endLine }) => ({
          id: path,
          content: text,
          score,
          metadata: { startLine, endLine },
        })),
      ),
  },
  grep: {
    operation: "search_memory",
    attributes: ([pattern]) => queryAttributes(pattern),
    answered: (matches: readonly GrepMatch[]) =>
      recordsAttributes(matches.map(({ path, text, line }) => ({ id: path, content: text, metadata: { line } }))),
  },
  append: change("upsert_memory", "append", 1),
  snapshotAndAppend: change("upsert_memory", "append", 1),
  write: change(([, , options]) => operationOfWrite(options as WriteOptions | undefined), "write", 1),
  update: change("update_memory", "update", 2),
  edit: change("update_memory", "edit", 1),
  rename: {
    operation: "update_memory",
    attributes: ([from, to]) => ({
      ...recordAttributes(from),
      ...recordsAttributes([{ id: String(from), content: String(to), metadata: { command: "rename" } }]),
    }),
  },
  delete: {
    operation: "delete_memory",
    attributes: onePath,
    answered: ({ files }: DeletedCounts) => recordsAttributes([], files),
  },
} satisfies Partial<Record<keyof Memory, TracedMethod>>;

/** Makes the methods of a class of memories tell spans of their calls. @param tracedBy null for one that tells none */
export function traceMethods<Traced extends Memory>(
  prototype: Traced,
  tracedBy: (memory: Traced) => TracedMemory | null,
): void {
  for (const [name, method] of Object.entries<TracedMethod>(methods)) {
    const run = Reflect.get(prototype, name) as (...args: unknown[]) => Promise<unknown>;
    const value = function (this: Traced, ...args: unknown[]): Promise<unknown> {
      const told = isTraced() ? tracedBy(this) : null;
      return told === null ? run.apply(this, args) : inSpan(told, method, args, () => run.apply(this, args));
    };
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  }
}

function inSpan(
  told: TracedMemory,
  { operation, attributes, answered }: TracedMethod,
  args: readonly unknown[],
  run: () => Promise<unknown>,
): Promise<unknown> {
  const call = {
    operation: typeof operation === "function" ? operation(args) : operation,
    isRemote: told.server !== undefined,
    attributes: () => ({ ...placeAttributes(told.address, told.actor, told.server), ...attributes?.(args) }),
    answered: (answer: unknown) => answered?.(answer as never, args) ?? {},
  };
  return traced(call, run);
}

function operationOfWrite(options: WriteOptions | undefined): MemoryOperation {
  if (options?.ifExists === "fail") return "create_memory";
  return options?.ifMissing === "fail" ? "update_memory" : "upsert_memory";
}

function fileRecord({ path, content }: { path: string; content?: string }): SpanRecord {
  return { id: path, ...(content !== undefined && { content }) };
}
