import type { OutlineFile } from "../tree/snapshot.js";
import type { GrepMatch, SearchHit } from "../search/search-options.js";
import { queryAttributes, recordAttributes, recordsAttributes, type SpanRecord } from "./memory-attributes.js";
import type { MemoryOperation, SpanAttributes, Trace } from "./tracing.js";

/** Describes the span of a read of one path. */
export function traceRead<R>(path: unknown, answered?: (answer: R) => SpanAttributes): Trace<R> {
  return { operation: "search_memory", attributes: () => recordAttributes(path), answered };
}

export function traceSearch(query: unknown): Trace<readonly SearchHit[]> {
  return {
    operation: "search_memory",
    attributes: () => queryAttributes(query),
    answered: (hits) => recordsAttributes(hits.map(createHitRecord)),
  };
}

export function traceGrep(pattern: unknown): Trace<readonly GrepMatch[]> {
  return {
    operation: "search_memory",
    attributes: () => queryAttributes(pattern),
    answered: (matches) => recordsAttributes(matches.map(createMatchRecord)),
  };
}

/** The span of a search for a prompt. Names no files, because a prompt may read all of them. */
export function traceRecall(query: string): Trace<unknown> {
  return { operation: "search_memory", attributes: () => queryAttributes(query) };
}

/** The span of a read of the whole memory. */
export const traceFiles: Trace<{ files: readonly OutlineFile[] }> = {
  operation: "search_memory",
  answered: ({ files }) => recordsAttributes(files.map(createFileRecord)),
};

/** Describes the span of a change of one file. @param content the new text, if it is known */
export function traceChange<R>(
  operation: MemoryOperation,
  command: string,
  path: unknown,
  content?: unknown,
): Trace<R> {
  const attributes = (): SpanAttributes => {
    const record = { id: String(path), ...(typeof content === "string" && { content }), metadata: { command } };
    return { ...recordAttributes(path), ...recordsAttributes([record], 1) };
  };
  return { operation, attributes };
}

/** Describes the span of a change that brings in files. */
export function traceAddedFiles(files: readonly { path: string; content: string }[]): Trace<unknown> {
  return { operation: "upsert_memory", attributes: () => recordsAttributes(files.map(createFileRecord)) };
}

/** @param options of `write`, unchecked */
export function getWriteOperation(options: { ifExists?: string; ifMissing?: string } | undefined): MemoryOperation {
  if (options?.ifExists === "fail") return "create_memory";
  return options?.ifMissing === "fail" ? "update_memory" : "upsert_memory";
}

function createHitRecord({ path, text, score, startLine, endLine }: SearchHit): SpanRecord {
  return { id: path, content: text, score, metadata: { startLine, endLine } };
}

function createMatchRecord({ path, text, line }: GrepMatch): SpanRecord {
  return { id: path, content: text, metadata: { line } };
}

function createFileRecord({ path, content }: { path: string; content?: string }): SpanRecord {
  return { id: path, ...(content !== undefined && { content }) };
}
