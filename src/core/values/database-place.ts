/** The place of a store's memories, for people. */
export interface DatabasePlace {
  database: string;
  /** The first host, and how many others there are. */
  host: string;
}

/** The method of a store that answers its place. It is a symbol, so that editors do not offer it as a member. */
export const describePlace: unique symbol = Symbol.for("langgraph-mongo-memory.describePlace");

export interface PlacedStore {
  [describePlace](): DatabasePlace;
}

export function isPlaced(store: object): store is PlacedStore {
  return describePlace in store;
}
