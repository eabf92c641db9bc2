import type { Db } from "mongodb";

/** Searches the bytes of all documents of a database for a text. @returns the collections with a match */
export async function findStored(db: Db, text: string): Promise<string[]> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const found = await Promise.all(
    collections.map(async ({ name }) => {
      const documents = await db.collection(name).find({}, { raw: true }).toArray();
      return documents.some((bytes) => (bytes as unknown as Buffer).includes(text)) ? [name] : [];
    }),
  );
  return found.flat();
}
