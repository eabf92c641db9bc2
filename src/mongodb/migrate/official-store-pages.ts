import { types } from "node:util";
import type { Collection } from "mongodb";
import type { ForeignItem } from "../store/foreign-items.js";
import { readOptions } from "../items/item-document.js";
import { isPlainObject } from "../operations/values.js";
import { streaming } from "../driver/reads.js";
import { callMethod, getField } from "../../core/values/unknown-values.js";

/** Some documents of a `MongoDBStore`, in the order of their ids. */
export interface ItemPage {
  items: ForeignItem[];
  /** The id of the item at a position, as a text. */
  getId: (position: number) => string;
  lastId: string;
}

interface SourceDocument extends ForeignItem {
  _id: unknown;
  sizeBytes: number | bigint;
}

/** Maximum size of a page in bytes, without its last document. */
const maxPageBytes = 16 * 1024 * 1024;

/** Leaves out vectors and similar fields. */
const projection = {
  namespace: 1,
  key: 1,
  value: 1,
  createdAt: 1,
  updatedAt: 1,
  expiresAt: 1,
  sizeBytes: { $bsonSize: "$$ROOT" },
};

/** Each page is a query of its own, so that a slow reader keeps no cursor open. */
export async function* readPages(
  collection: Collection,
  { batchSize, resumeAfter }: { batchSize: number; resumeAfter: string | null },
): AsyncGenerator<ItemPage> {
  let after = resumeAfter === null ? undefined : boundFromText(resumeAfter);
  for (;;) {
    const documents = await readPage(collection, after, batchSize);
    const last = documents.at(-1);
    if (last === undefined) return;
    yield {
      items: documents.map(foreignItem),
      getId: (position) => idAsText(documents[position]?._id),
      lastId: idAsText(last._id),
    };
    after = { $literal: last._id };
  }
}

async function readPage(
  collection: Collection,
  after: object | undefined,
  batchSize: number,
): Promise<SourceDocument[]> {
  // An expression, because `$gt` of a query only compares ids of the same type.
  const filter = after === undefined ? {} : { $expr: { $gt: ["$_id", after] } };
  const cursor = collection.find<SourceDocument>(filter, {
    ...readOptions,
    projection,
    sort: { _id: 1 },
    limit: batchSize,
  });
  const documents: SourceDocument[] = [];
  let sizeBytes = 0;
  for await (const document of streaming(cursor)) {
    documents.push(document);
    sizeBytes += Number(document.sizeBytes);
    if (sizeBytes >= maxPageBytes) break;
  }
  return documents;
}

function foreignItem({ namespace, key, value, createdAt, updatedAt, expiresAt }: SourceDocument): ForeignItem {
  return { namespace, key, value: withNumbers(value), createdAt, updatedAt, expiresAt };
}

/** Converts 64-bit integers as the official store does: to numbers, if they are exact. */
function withNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (!isPlainObject(value) || types.isDate(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withNumbers(field)]));
}

/** The driver creates the ids of the official store. Other programs may have written other ids. */
function idAsText(id: unknown): string {
  const hex = callMethod(id, "toHexString");
  if (hex !== undefined) return JSON.stringify({ $oid: hex });
  return JSON.stringify(typeof id === "bigint" ? Number(id) : id);
}

/** @throws TypeError for a text that `idAsText` did not create */
function boundFromText(text: string): object {
  const id = parseJson(text);
  const hex = getField(id, "$oid");
  if (typeof hex === "string" && /^[0-9a-f]{24}$/.test(hex)) return { $toObjectId: hex };
  if (typeof id === "string" || typeof id === "number") return { $literal: id };
  throw new TypeError("it must be one that an earlier run has printed");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
