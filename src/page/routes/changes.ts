import { z } from "zod";
import type { ProposalSummary } from "../../core/approval/memory-proposals.js";
import { readVersion } from "../../core/backend-memory.js";
import type { Memory } from "../../core/memory.js";
import { getMountTree } from "../../core/mounts/mounted-memory.js";
import { withinTime } from "../../core/runtime/call.js";
import { pickDefined } from "../../core/settings/pick-defined.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { addressFields, listFields, takePage } from "../fields.js";
import { maxListed } from "../find-memories.js";
import { openMemory, openTree } from "../page-memory.js";
import { PageRefusal } from "../refusal.js";
import { type PageMemories, type RouteContext, route } from "../route.js";

/**
 * The time limit of the database. The browser waits a little longer, and then reports that the page does not answer.
 */
const maxAnswerMs = 2500;

/** The largest number of proposals that are counted. A person does not decide about more in a day. */
const maxCounted = 1000;

const listView = z.strictObject({ view: z.literal("memories"), ...listFields });

type ListView = z.output<typeof listView>;

/** The view of the browser: a memory, the memories of a filter, or the waiting proposals of all memories. */
const schema = z.discriminatedUnion("view", [
  z.strictObject({ view: z.literal("memory"), ...addressFields }),
  listView,
  z.strictObject({ view: z.literal("inbox") }),
]);

/**
 * A browser requests this every two seconds: a change token, which differs after each change of the view and of the
 * waiting proposals, and the number of waiting proposals, in all memories and in each.
 */
const changes = route("GET", "changes", schema, async (input, context) => {
  const { memories, signal } = context;
  // Before any query, so that a request for a memory of others costs nothing.
  const shown = input.view === "memory" ? openShown(context, input) : null;
  const limits = { signals: [signal], timeoutMs: maxAnswerMs };
  return withinTime(limits, "read", async () => {
    const [token, { page, more }] = await Promise.all([
      shown !== null ? readTreeToken(shown) : input.view === "memories" ? readListToken(memories, input) : "",
      takePage(memories.listProposals({}), 0, maxCounted),
    ]);
    const waiting = { count: page.length, more, memories: countEach(page) };
    return { changeToken: hashSha256(`${token} ${page.map(({ id }) => id).join(" ")}`), waiting };
  });
});

/** A memory with its mounts. Without them, if only a run can find one: the history of the memory is shown. */
function openShown(context: RouteContext, address: Parameters<typeof openTree>[1]): Memory {
  try {
    return openTree(context, address);
  } catch (error) {
    if (error instanceof PageRefusal && error.code === "EINVAL") return openMemory(context, address);
    throw error;
  }
}

/** A memory and its mounted memories. */
async function readTreeToken(memory: Memory): Promise<string> {
  const memories = getMountTree(memory)?.mounts.map((mount) => mount.memory) ?? [memory];
  return (await Promise.all(memories.map(readToken))).join(" ");
}

/** A storage that does not count versions is read instead. */
async function readToken(memory: Memory): Promise<string> {
  const version = await readVersion(memory);
  if (version !== null) return version;
  const { files, directories } = await memory.snapshot();
  return hashSha256(JSON.stringify([files.map(({ path, content }) => [path, content]), directories]));
}

/** Reads the first page without `named`: every browser requests this every two seconds. */
async function readListToken(
  memories: PageMemories,
  { view: _view, named: _named, ...filter }: ListView,
): Promise<string> {
  const { page, more } = await takePage(memories.listMemories(pickDefined(filter)), 0, maxListed);
  let [files, sizeBytes, updatedMs] = [0, 0, 0];
  for (const memory of page) {
    files += memory.files;
    sizeBytes += memory.sizeBytes;
    updatedMs = Math.max(updatedMs, memory.updatedAt.getTime());
  }
  return `${page.length} ${more} ${files} ${sizeBytes} ${updatedMs}`;
}

function countEach(proposals: readonly ProposalSummary[]): { address: CheckedAddress; count: number }[] {
  const counts = new Map<string, { address: CheckedAddress; count: number }>();
  for (const { address } of proposals) {
    const key = JSON.stringify(address);
    const counted = counts.get(key) ?? { address, count: 0 };
    counted.count += 1;
    counts.set(key, counted);
  }
  return [...counts.values()];
}

export const changeRoutes = [changes] as const;
