import type { Memory } from "../../src/core/memory.js";
import {
  checked,
  type DialectCall,
  fileCalls,
  journalCalls,
  seedFiles,
  seedJournal,
  toolOf,
} from "../dialects/calls.js";
import type { VersionCall } from "./calls.js";
import { placeOf, resetOf, type Server } from "./place.js";
import type { Version } from "./versions.js";

const area = "Dialects";
const iterations = 42;

export async function dialectCalls(version: Version, server: Server): Promise<VersionCall[]> {
  const { dialects } = version;
  const seeded = async (name: string, seed: (memory: Memory) => Promise<void>) => {
    const { store, memories } = await placeOf(version, server, name);
    const memory = store.memory({ nodeId: "bench" }, { paths: "posix" });
    await seed(memory);
    return { memory, reset: await resetOf(memories, server) };
  };
  const callsOn = ({ memory, reset }: Awaited<ReturnType<typeof seeded>>, calls: DialectCall[]): VersionCall[] =>
    calls.map((call) => {
      const tool = toolOf(call, memory, dialects);
      return {
        area,
        name: `${call.dialect}: ${call.command}`,
        iterations,
        call: (index) => checked(tool, call.args(index)),
        reset,
      };
    });
  const files = await seeded("of tools", seedFiles);
  const journal = await seeded("of a journal", (memory) => seedJournal(memory, dialects));
  const unified = new version.package.MemoryTool({ memory: files.memory });
  const unifiedCalls = ["read", "list", "append", "update", "delete"].map((command): VersionCall => {
    const args = fileCalls.find(({ nearest }) => nearest === command)?.unifiedArgs;
    if (args === undefined) throw new Error(`no call is near to ${command}`);
    return {
      area,
      name: `unified: ${command}`,
      iterations,
      call: (index) => checked(unified, args(index)),
      reset: files.reset,
    };
  });
  return [...unifiedCalls, ...callsOn(files, fileCalls), ...callsOn(journal, journalCalls)];
}
