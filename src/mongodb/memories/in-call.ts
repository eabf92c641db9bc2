import type { CallContext } from "../../core/runtime/call.js";
import type { VectorCollection } from "../embeddings/vector-collection.js";
import type { RecordCollection } from "../proposals/record-collection.js";

/** The changes that wait for a person, for the commands of the same call. Only here, as most calls have none. */
export function recordsInCall({ call, records }: { call?: CallContext; records: RecordCollection }): RecordCollection {
  return call === undefined ? records : records.forCall(call);
}

/** The same of the vectors of passages. */
export function vectorsInCall({ call, vectors }: { call?: CallContext; vectors: VectorCollection }): VectorCollection {
  return call === undefined ? vectors : vectors.forCall(call);
}
