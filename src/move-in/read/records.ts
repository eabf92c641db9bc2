import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { JsonBounds } from "../../core/values/json-bounds.js";
import { invalid } from "../../core/values/errors.js";
import { createNote, type MoveInNote, type MoveInSource } from "../entry.js";

/** A record of a file, or the reason why it cannot be read. */
export type JsonRecord = { kind: "record"; what: string; value: unknown } | MoveInNote;

/** An export is read whole. */
const maxSourceBytes = 200_000_000;
const jsonLimits = { values: 5_000_000, levels: 100 } as const;

/** Opens a file, or takes a stream as it is. @throws MemoryError EINVAL, and the errors of the file system */
async function openBytes(source: MoveInSource): Promise<AsyncIterable<Uint8Array | string>> {
  if (typeof source === "string") {
    if ((await stat(source)).isFile()) return createReadStream(source);
    throw invalid("it is not a regular file");
  }
  if (Symbol.asyncIterator in source) return source as AsyncIterable<Uint8Array | string>;
  throw invalid("the source must be the path of a file, or a stream of its bytes");
}

/** @throws MemoryError EINVAL for too many bytes */
async function readBytes(source: MoveInSource): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of await openBytes(source)) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    length += bytes.length;
    if (length > maxSourceBytes) throw invalid(`the source has more than ${maxSourceBytes} bytes; split it`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Reads the elements of a JSON array, one value, or the values of JSONL. A line of JSONL that is no JSON costs itself. */
export async function* readRecords(source: MoveInSource): AsyncGenerator<JsonRecord> {
  const bytes = await readBytes(source);
  const lines = splitLines(bytes);
  // JSONL usually begins with a record, and then the whole is no JSON.
  const whole = lines.length > 1 && startsWithRecord(lines) ? null : parse(bytes);
  if (whole === null || (whole.kind === "fault" && lines.length > 1 && lines.some((line) => isRecord(parse(line)))))
    for (const [index, line] of lines.entries()) yield createRecord(`record ${index + 1}`, parse(line));
  else if (whole.kind === "fault") yield createNote("the file", whole.why);
  else if (Array.isArray(whole.value))
    for (const [index, value] of whole.value.entries()) yield { kind: "record", what: `record ${index + 1}`, value };
  else yield createRecord("record 1", whole);
}

function startsWithRecord([first]: readonly Buffer[]): boolean {
  return first !== undefined && isRecord(parse(first));
}

/** Returns the lines with something else than blanks. */
function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(10, start);
    const line = bytes.subarray(start, newline === -1 ? bytes.length : newline);
    if (line.some((byte) => byte !== 0x20 && (byte < 0x09 || byte > 0x0d))) lines.push(line);
    start += line.length + 1;
  }
  return lines;
}

type Parsed = { kind: "value"; value: unknown } | { kind: "fault"; why: string };

function createRecord(what: string, parsed: Parsed): JsonRecord {
  return parsed.kind === "fault" ? createNote(what, parsed.why) : { kind: "record", what, value: parsed.value };
}

/** A line of an indented object or array is no object. */
function isRecord(parsed: Parsed): boolean {
  return (
    parsed.kind === "value" && typeof parsed.value === "object" && parsed.value !== null && !Array.isArray(parsed.value)
  );
}

/** One for all records: making one takes as long as it takes to decode a record. */
const decoder = new TextDecoder("utf-8", { fatal: true });

function parse(bytes: Uint8Array): Parsed {
  const bounds = new JsonBounds(jsonLimits);
  bounds.add(bytes);
  if (bounds.excess !== undefined) return { kind: "fault", why: `it has ${bounds.excess}` };
  try {
    const text = decoder.decode(bytes);
    try {
      return { kind: "value", value: JSON.parse(text) as unknown };
    } catch {
      return { kind: "fault", why: "it is not JSON" };
    }
  } catch {
    return { kind: "fault", why: "its bytes are not UTF-8" };
  }
}
