import type { BaseStore, Item } from "@langchain/langgraph-checkpoint";
import type { Collection, Document } from "mongodb";
import type { Call } from "../measuring/measure.js";
import { createNewItem, idsWithin, pickHundred, pickItem, storeDocument, toId } from "./fixture.js";

export const operationNames = [
  "get hit",
  "get miss",
  "put new",
  "put existing",
  "delete",
  "search one namespace",
  "search a tenth",
  "search with a filter",
  "listNamespaces of a tenth",
  "listNamespaces",
  "batch of 100 gets",
  "batch of 100 puts",
] as const;

export type OperationName = (typeof operationNames)[number];

/** One side of a comparison. */
export type Operations = Record<OperationName, Call>;

const pageSize = 10;
const namespacePage = 100;
const pickKind = (iteration: number): { kind: string } => ({ kind: `kind ${iteration % 10}` });
const pickTenth = (iteration: number): string[] => [`org${iteration % 10}`];
const pickUser = (iteration: number, count: number): string[] => pickItem(iteration, count).namespace.slice(0, 2);

/** Through the methods of any store. */
export function createOperations(store: BaseStore, count: number): Operations {
  const get = ({ namespace, key }: Pick<Item, "namespace" | "key">) => store.get(namespace, key);
  const put = ({ namespace, key, value }: Pick<Item, "namespace" | "key" | "value">) =>
    store.put(namespace, key, value);
  return {
    "get hit": (iteration) => get(pickItem(iteration, count)),
    "get miss": (iteration) => get(createNewItem(iteration)),
    "put new": (iteration) => put(createNewItem(iteration)),
    "put existing": (iteration) => put(pickItem(iteration, count)),
    delete: (iteration) => store.delete(pickItem(iteration, count).namespace, pickItem(iteration, count).key),
    "search one namespace": (iteration) => store.search(pickUser(iteration, count), { limit: pageSize }),
    "search a tenth": (iteration) => store.search(pickTenth(iteration), { limit: pageSize }),
    "search with a filter": (iteration) =>
      store.search(pickUser(iteration, count), { filter: pickKind(iteration), limit: pageSize }),
    "listNamespaces of a tenth": (iteration) =>
      store.listNamespaces({ prefix: pickTenth(iteration), limit: namespacePage }),
    listNamespaces: () => store.listNamespaces({ limit: namespacePage }),
    "batch of 100 gets": (iteration) =>
      store.batch(pickHundred(iteration, count).map(({ namespace, key }) => ({ namespace, key }))),
    "batch of 100 puts": (iteration) => store.batch(pickHundred(iteration, count)),
  };
}

/** The one indexed command that does it in the layout of MongoMemoryStore. It checks nothing. */
export function createRawOperations(collection: Collection, count: number): Operations {
  const picked = (iteration: number) => storeDocument(pickItem(iteration, count), new Date());
  const get = (id: unknown) => collection.findOne({ _id: id } as Document);
  const put = (document: Document) => {
    const [filter, update] = toUpsert(document);
    return collection.updateOne(filter, update, { upsert: true });
  };
  const page = (prefix: string[], filter: Document = {}) =>
    collection.find({ _id: idsWithin(prefix), ...filter } as Document, { sort: { _id: 1 }, limit: pageSize }).toArray();
  const namespaces = (range: Document) =>
    collection
      .aggregate([
        { $match: { ns: range } },
        { $group: { _id: "$ns" } },
        { $sort: { _id: 1 } },
        { $limit: namespacePage },
      ])
      .toArray();
  return {
    "get hit": (iteration) => get(picked(iteration)["_id"]),
    "get miss": (iteration) => {
      const { namespace, key } = createNewItem(iteration);
      return get(toId(namespace, key));
    },
    "put new": (iteration) => put(storeDocument(createNewItem(iteration), new Date())),
    "put existing": (iteration) => put(picked(iteration)),
    delete: (iteration) => collection.deleteOne({ _id: picked(iteration)["_id"] as never }),
    "search one namespace": (iteration) => page(pickUser(iteration, count)),
    "search a tenth": (iteration) => page(pickTenth(iteration)),
    "search with a filter": (iteration) => page(pickUser(iteration, count), { "value.kind": pickKind(iteration).kind }),
    "listNamespaces of a tenth": async (iteration) => {
      const [label = ""] = pickTenth(iteration);
      const all = await collection.distinct("ns", { ns: { $gte: label, $lt: `${label}\u0001` } });
      return all.slice(0, namespacePage).map((_id) => ({ _id }));
    },
    listNamespaces: () => namespaces({ $gte: "" }),
    "batch of 100 gets": (iteration) => {
      const ids = pickHundred(iteration, count).map(({ namespace, key }) => toId(namespace, key));
      return collection.find({ _id: { $in: ids } } as Document, { batchSize: ids.length + 1 }).toArray();
    },
    "batch of 100 puts": (iteration) => {
      const now = new Date();
      const writes = pickHundred(iteration, count).map((item) => {
        const [filter, update] = toUpsert(storeDocument(item, now));
        return { updateOne: { filter, update, upsert: true } };
      });
      return collection.bulkWrite(writes, { ordered: false });
    },
  };
}

function toUpsert({ _id, ns, key, value, createdAt, updatedAt }: Document): [Document, Document] {
  return [{ _id }, { $set: { value, updatedAt }, $setOnInsert: { ns, key, createdAt } }];
}
