import type { Embeddings, MemoryBackend, Vector } from "../contract/backend.js";
import type { FileText } from "../tree/snapshot.js";
import { type CallContext, createUnlimitedCall } from "../runtime/call.js";
import { runInTimeSlices, type Steps } from "../runtime/time-slices.js";
import { findPassages } from "./passages.js";

/** The vectors of the passages of a memory at one point in time. */
export interface PassageVectors {
  readonly byText: ReadonlyMap<string, Vector>;
  /** False if the next search must embed more texts. */
  readonly isComplete: boolean;
  /** Estimated size in memory, without the texts, which belong to the index. */
  readonly bytes: number;
}

/** The most texts that one search embeds. Each call of the client takes a part of a second. */
const maxEmbeddedTexts = 1000;
/** The most texts of one call of the client. Each text has at most 600 characters. */
const batchTexts = 100;

interface IndexedTexts {
  files: readonly FileText[];
  /** The version of the memory before the texts were read. */
  version: string | null;
  /** The vectors of the last search. */
  previous: PassageVectors | null;
}

/**
 * Finds the vectors of texts. Looks up only texts that are new since the last search, and embeds only texts that were
 * never embedded. Removes outdated vectors even if the call has ended.
 */
export async function getVectors(
  embeddings: Embeddings,
  opened: MemoryBackend,
  { files, version, previous }: IndexedTexts,
  call: CallContext,
): Promise<PassageVectors> {
  const byText = new Map<string, Vector>();
  const unknown: string[] = [];
  for (const text of await runInTimeSlices(collectTexts(files, embeddings.maxTexts), call)) {
    const vector = previous?.byText.get(text);
    if (vector === undefined) unknown.push(text);
    else byText.set(text, vector);
  }
  const isOutdated = previous === null || byText.size < previous.byText.size;
  for (const [text, vector] of await embeddings.stored(unknown)) byText.set(text, vector);
  const missing = unknown.filter((text) => !byText.has(text));
  try {
    for (let start = 0; start < Math.min(missing.length, maxEmbeddedTexts); start += batchTexts) {
      call.throwIfAborted();
      const batch = missing.slice(start, start + batchTexts);
      const created = await embeddings.embed(batch);
      await embeddings.store(created);
      for (const [text, vector] of created) byText.set(text, vector);
    }
  } finally {
    // Otherwise the vector of a text that was removed meanwhile would outlive the text, or an erased memory.
    const unlimited = createUnlimitedCall();
    const { features } = opened;
    const hasChanged = missing.length > 0 && (version === null || (await features?.version?.(unlimited)) !== version);
    const present = hasChanged ? (await opened.snapshot(unlimited)).files : files;
    const own = hasChanged ? await runInTimeSlices(collectTexts(present, embeddings.maxTexts), null) : byText.keys();
    if (hasChanged || isOutdated)
      await features
        ?.embeddings?.(unlimited)
        .keepOnly(own, () => runInTimeSlices(collectTexts(present, Infinity), null));
  }
  const bytes = Array.from(byText.values()).reduce((sum, vector) => sum + 200 + vector.byteLength, 0);
  return { byText, isComplete: missing.length <= maxEmbeddedTexts, bytes };
}

/** Collects the texts of passages, each once, in the order of paths. */
function* collectTexts(files: readonly FileText[], maxTexts: number): Steps<Set<string>> {
  const texts = new Set<string>();
  for (const { content } of files) {
    for (const passage of findPassages(content)) {
      if (texts.size === maxTexts) return texts;
      if (passage !== null) texts.add(content.slice(passage.start, passage.end));
      yield;
    }
  }
  return texts;
}
