import { z } from "zod";
import { ArchiveLines } from "../../core/archive.js";
import { TimeSlices } from "../../core/runtime/time-slices.js";
import { pickDefined } from "../../core/settings/pick-defined.js";
import type { MemorySummary } from "../../mongodb/memories/addresses/memory-filter.js";
import { filterFields } from "../fields.js";
import { openMemory } from "../page-memory.js";
import { type RouteContext, route } from "../route.js";

/** The memories of a filter as JSONL, which the command `import` reads. If it breaks off, the last line is missing. */
const exportMemories = route("GET", "export", z.strictObject(filterFields), async (filter, context) => {
  const pieces = readPieces(context.memories.listMemories(pickDefined(filter)), context);
  // Reads the first memory before the answer begins, so that a bad filter is refused.
  let next = await pieces.next();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (next.done === true) return controller.close();
      controller.enqueue(encoder.encode(next.value));
      next = await pieces.next();
    },
    cancel: async () => {
      await pieces.return(undefined);
    },
  });
  const headers = {
    "Content-Type": "application/jsonl; charset=utf-8",
    "Content-Disposition": 'attachment; filename="memories.jsonl"',
    "Cache-Control": "no-store",
  };
  return new Response(body, { headers });
});

const pieceChars = 65_536;

/** Reads the archive in pieces of some size, in time slices. */
async function* readPieces(
  memories: AsyncIterable<MemorySummary>,
  context: RouteContext,
): AsyncGenerator<string, void> {
  const archive = new ArchiveLines();
  const slices = new TimeSlices(context.signal);
  let piece = "";
  for await (const { address } of memories) {
    const snapshot = await openMemory(context, address).snapshot();
    for (const file of snapshot.files) {
      piece += archive.file(address, file);
      if (slices.isOver()) await slices.next();
      if (piece.length < pieceChars) continue;
      yield piece;
      piece = "";
    }
  }
  yield piece + archive.end();
}

export const exportRoutes = [exportMemories] as const;
