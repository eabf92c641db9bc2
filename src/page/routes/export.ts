import { z } from "zod";
import { hashSha256 } from "../../core/values/sha256.js";
import type { MemorySummary } from "../../mongodb/memories/addresses/memory-filter.js";
import { createFilter, filterFields } from "../fields.js";
import { openMemory } from "../page-memory.js";
import { type RouteContext, route } from "../route.js";

/** The memories of a filter as JSONL, which the command `import` reads. If it breaks off, the last line is missing. */
const exportMemories = route("GET", "export", z.object(filterFields).strict(), async (filter, context) => {
  // Before the answer begins, so that a bad filter is refused.
  const memories = context.memories.listMemories(createFilter(filter));
  const lines = readLines(memories, context);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await lines.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel: async () => {
      await lines.return(undefined);
    },
  });
  const headers = {
    "Content-Type": "application/jsonl; charset=utf-8",
    "Content-Disposition": 'attachment; filename="memories.jsonl"',
    "Cache-Control": "no-store",
  };
  return new Response(body, { headers });
});

async function* readLines(memories: AsyncIterable<MemorySummary>, context: RouteContext): AsyncGenerator<string, void> {
  let count = 0;
  const line = (value: object): string => {
    count += 1;
    return `${JSON.stringify(value)}\n`;
  };
  yield line({ format: "langgraph-mongo-memory", version: 1 });
  for await (const { address } of memories) {
    const { files, directories } = await openMemory(context, address).snapshot();
    yield line({ address, memory: true });
    for (const directory of directories) yield line({ address, directory });
    for (const { path, content, createdAt, updatedAt } of files) {
      const sizeBytes = Buffer.byteLength(content);
      yield line({ address, path, sizeBytes, sha256: hashSha256(content), createdAt, updatedAt, content });
    }
  }
  yield line({ end: true, lines: count + 1 });
}

export const exportRoutes = [exportMemories] as const;
