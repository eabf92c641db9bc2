import type { WireAddress } from "../wire.js";
import type { Query } from "./route.js";

/** What each view of a memory is given. */
export interface MemoryViewProps {
  address: WireAddress;
  query: Query;
  /** Another after each change of the memory. */
  mark: string;
}
