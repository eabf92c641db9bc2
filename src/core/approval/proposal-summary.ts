import type { CheckedAddress } from "../values/address.js";
import type { MemoryProposal } from "./memory-proposals.js";

/** A proposal with the address of its memory, without its texts. `get` of the memory's proposals has the texts. */
export interface ProposalSummary extends Omit<MemoryProposal, "content" | "oldContent" | "diff" | "proposed" | "base"> {
  address: CheckedAddress;
}
