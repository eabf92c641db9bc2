import type { Item, SearchItem } from "@langchain/langgraph-checkpoint";
import { filterOf, keyOf, type MemoryDocument, snapshotOf } from "./document.js";
import { isDirectory, isLegacy } from "./change.js";
import { type Expression, isText, valueAt, where } from "./expressions.js";
import type { MongoMemoryContext } from "./stored-document.js";
import type { MemorySnapshot } from "../../../core/memory.js";
import { compareCodeUnits } from "../../../core/text.js";
import { type FoundMemory, memoriesWithin, memoryReadOptions } from "./found-documents.js";
import type { ItemFilter } from "../../places/filters.js";
import { unscored } from "../../places/unscored.js";
import { reading } from "../../driver/reads.js";
import { groupedByMemory, type MemoryPlace } from "../../places/operations.js";

/** How many files one projection asks for: each takes three expressions, and the server limits their number. */
const maxPlacesPerCommand = 100;

/** The files and directories of memories as items (specification section 6). */
export class MemoryItems {
  readonly #context: MongoMemoryContext;

  constructor(context: MongoMemoryContext) {
    this.#context = context;
  }

  /** The items at those places in their order, null where nothing is; one command for each memory. */
  async get(places: readonly MemoryPlace[]): Promise<(Item | null)[]> {
    const byMemory = groupedByMemory(places);
    const items = new Map<MemoryPlace, Item | null>();
    await Promise.all(
      Array.from(byMemory.values(), async (ofMemory) => {
        for (let start = 0; start < ofMemory.length; start += maxPlacesPerCommand) {
          const some = ofMemory.slice(start, start + maxPlacesPerCommand);
          const found = await this.#getOfOneMemory(some);
          some.forEach((place, index) => items.set(place, found[index] ?? null));
        }
      }),
    );
    return places.map((place) => items.get(place) ?? null);
  }

  /** All items at or below a namespace that match, in order. */
  async *stream(prefix: readonly string[], filter: ItemFilter): AsyncGenerator<SearchItem> {
    for await (const memory of memoriesWithin(this.#context, prefix, "all")) {
      yield* itemsOf(memory).filter((item) => filter.matches(item.value)).map(unscored);
    }
  }

  /** The namespaces of the memories in which something lies, in order. */
  async *namespaces(prefix: readonly string[]): AsyncGenerator<string[]> {
    for await (const { namespace } of memoriesWithin(this.#context, prefix, "address")) yield namespace;
  }

  async #getOfOneMemory(places: readonly MemoryPlace[]): Promise<(Item | null)[]> {
    const [first] = places;
    if (first === undefined || places.every((place) => place.path === null)) return places.map(() => null);
    const document = await reading(async () => {
      await this.#context.ready();
      const options = { ...memoryReadOptions, projection: projectionOf(places) };
      return this.#context.collection.findOne<ProjectedMemory>(filterOf(first.address) as object, options);
    });
    if (document === null) return places.map(() => null);
    const items = new Map(document.legacy && itemsOf({ ...first, document: document.legacy }).map((item) => [item.key, item]));
    return places.map((place, index) => items.get(place.key) ?? projectedItem(place, document, index));
  }
}

/** What one command reads of several places: a file's text and times, or whether the directory exists. */
interface ProjectedMemory extends Pick<MemoryDocument, "_id" | "createdAt" | "updatedAt"> {
  legacy?: MemoryDocument;
  [field: `text${number}`]: string;
  [field: `times${number}`]: { createdAt?: Date; updatedAt?: Date };
  [field: `isDirectory${number}`]: boolean;
}

function projectionOf(places: readonly MemoryPlace[]): Record<string, Expression> {
  const fields = places.flatMap(({ path, kind }, index): [string, Expression][] => {
    if (path === null) return [];
    if (kind === "dir") return [[`isDirectory${index}`, isDirectory(path)]];
    const text = valueAt("$data", keyOf(path));
    return [
      [`text${index}`, where(isText(text), text, "$$REMOVE")],
      [`times${index}`, valueAt("$meta", keyOf(path))],
    ];
  });
  const legacy = where(isLegacy, "$$ROOT", "$$REMOVE");
  return { createdAt: 1, updatedAt: 1, legacy, ...Object.fromEntries(fields) };
}

function projectedItem(place: MemoryPlace, document: ProjectedMemory, index: number): Item | null {
  if (document.legacy !== undefined) return null;
  const times = timesOf(document, document[`times${index}`]);
  const content = document[`text${index}`];
  if (content !== undefined) return itemAt(place, { content }, times);
  return document[`isDirectory${index}`] === true ? itemAt(place, { directory: true }, times) : null;
}

/** Every item of one memory, by key. */
function itemsOf({ namespace, document }: Pick<FoundMemory, "namespace" | "document">): Item[] {
  const { files, directories }: MemorySnapshot = snapshotOf(document);
  const items = [
    ...files.map(({ path, content, createdAt, updatedAt }) =>
      itemAt({ namespace, key: path }, { content }, { createdAt, updatedAt }),
    ),
    ...directories.map((path) => itemAt({ namespace, key: `${path}/` }, { directory: true }, timesOf(document, undefined))),
  ];
  return items.toSorted((a, b) => compareCodeUnits(a.key, b.key));
}

function itemAt(
  { namespace, key }: { namespace: readonly string[]; key: string },
  value: Item["value"],
  times: { createdAt: Date; updatedAt: Date },
): Item {
  return { value, key, namespace: [...namespace], ...times };
}

/** A file's own times; those of its memory where the document has none, as for every directory. */
function timesOf(
  document: Pick<MemoryDocument, "_id" | "createdAt" | "updatedAt">,
  own: { createdAt?: Date; updatedAt?: Date } | undefined,
): { createdAt: Date; updatedAt: Date } {
  const fallback = document.createdAt ?? document._id.getTimestamp();
  return { createdAt: own?.createdAt ?? fallback, updatedAt: own?.updatedAt ?? document.updatedAt ?? fallback };
}
