import type { CallContext } from "../../../core/runtime/call.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading } from "../../driver/reads.js";
import { type Expression } from "../expressions.js";
import { orEmpty } from "./expressions.js";
import { bytesWithoutOutbox } from "./outbox/outbox.js";
import { getIncarnation, type MemoryDocument } from "./page-document.js";
import { getPagesRange } from "./page-keys.js";
import type { PagesContext } from "./pages-context.js";

/** The pages of a memory except its head, together. */
export interface MeasuredPages {
  files: number;
  sizeBytes: number;
  /** The time of the last change. Null if there are none. */
  updatedAt: Date | null;
}

const noPages: MeasuredPages = { files: 0, sizeBytes: 0, updatedAt: null };

/** Counts the files of a page. */
export const fileCount: Expression = { $size: { $objectToArray: orEmpty("$data") } };

/** Measures the pages of a memory except its head. No command if there are none. */
export async function measurePages(
  { collection }: Pick<PagesContext, "collection">,
  head: Pick<MemoryDocument, "_id" | "key" | "hi">,
  call: CallContext,
): Promise<MeasuredPages> {
  if (head.hi === undefined) return noPages;
  const pipeline = [
    { $match: { _id: getPagesRange(String(head._id), getIncarnation(head)) } },
    {
      $group: {
        _id: null,
        files: { $sum: fileCount },
        sizeBytes: { $sum: bytesWithoutOutbox("$$ROOT") },
        updatedAt: { $max: "$updatedAt" },
      },
    },
  ];
  const found = collection.aggregate<MeasuredPages>(pipeline, { ...asPlainValues }, call);
  const [measured] = await reading(() => found.toArray());
  return measured ?? noPages;
}
