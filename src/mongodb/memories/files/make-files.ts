import type { CheckedAddress } from "../../../core/values/address.js";
import { inTransaction } from "../../driver/transactions.js";
import type { FilesContext } from "./files-context.js";
import { type Made, type NewFile, TreeSteps } from "./tree-steps.js";

/** Ends a transaction that would make nothing. */
class AlreadyThere extends Error {}

/** Makes files by one transaction. */
export async function makeFiles(
  context: Pick<FilesContext, "collection" | "transactions" | "isGuest">,
  address: CheckedAddress,
  files: readonly NewFile[],
  call: FilesContext["call"],
): Promise<Made[]> {
  const collection = call === undefined ? context.collection : context.collection.forCall(call);
  try {
    return await inTransaction(context.transactions, call, async (session) => {
      const made = await new TreeSteps({ ...context, collection }, session, address).make(files);
      if (made.length === 1 && made[0] === "exists") throw new AlreadyThere();
      return made;
    });
  } catch (error) {
    if (error instanceof AlreadyThere) return ["exists"];
    throw error;
  }
}
