import type { CallContext } from "../../../core/runtime/call.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading } from "../../driver/reads.js";
import { type Expression, textBytes } from "../expressions.js";
import { entriesWhere, mapEntries, orEmpty, textOrNull } from "./expressions.js";
import { bytesWithoutOutbox } from "./outbox/outbox.js";
import { getIncarnation, type MemoryDocument } from "./page-document.js";
import { getPagesRange } from "./page-keys.js";
import type { PagesContext } from "./pages-context.js";

/** The pages of a memory except its head, together. */
export interface MeasuredPages {
  files: number;
  textBytes: number;
  sizeBytes: number;
  /** The time of the last change. Null if there are none. */
  updatedAt: Date | null;
}

const noPages: MeasuredPages = { files: 0, textBytes: 0, sizeBytes: 0, updatedAt: null };

/** Counts the files of a page. */
export const fileCount: Expression = { $size: { $objectToArray: orEmpty("$data") } };

/** Adds the sizes of the texts of a page. */
export const textSum: Expression = {
  $sum: mapEntries(entriesWhere("$data", true), textBytes(textOrNull("$$entry.v"))),
};

/** Measures the pages of a memory except its head. No command if there are none. */
export async function measurePages(
  { collection }: Pick<PagesContext, "collection">,
  address: CheckedAddress,
  head: Pick<MemoryDocument, "_id" | "key" | "hi">,
  call: CallContext,
): Promise<MeasuredPages> {
  if (head.hi === undefined) return noPages;
  const pipeline = [
    { $match: { _id: getPagesRange(address, getIncarnation(head)) } },
    {
      $group: {
        _id: null,
        files: { $sum: fileCount },
        textBytes: { $sum: textSum },
        sizeBytes: { $sum: bytesWithoutOutbox("$$ROOT") },
        updatedAt: { $max: "$updatedAt" },
      },
    },
  ];
  const found = collection.aggregate<MeasuredPages>(pipeline, { ...asPlainValues }, call);
  const [measured] = await reading(() => found.toArray());
  return measured ?? noPages;
}
