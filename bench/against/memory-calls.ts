import { type CommandName, commandNames, memoryCommands } from "../memories/commands.js";
import { fixtureOf, text, turnOf } from "../memories/fixture.js";
import type { VersionCall } from "./calls.js";
import { placeOf, resetOf, type Server } from "./place.js";
import type { Version } from "./versions.js";

const fileCounts = [10, 100, 1_000];

export async function memoryCalls(version: Version, server: Server): Promise<VersionCall[]> {
  const calls: VersionCall[] = [];
  for (const fileCount of fileCounts) {
    const fixture = fixtureOf(fileCount);
    const { store, memories } = await placeOf(version, server, `of ${fileCount} files`);
    const memory = store.memory({ nodeId: "bench" });
    for (const path of fixture.paths) await memory.write(path, text);
    const reset = await resetOf(memories, server);
    const commands = memoryCommands(memory, fixture);
    const restore = (iteration: number) => memory.write(turnOf(fixture, iteration).path, text);
    const callOf = (name: CommandName): VersionCall => ({
      area: "Memories",
      name: `${name}, ${fileCount} files`,
      iterations: fileCount >= 1_000 ? 42 : 90,
      call: commands[name],
      reset,
      ...(name === "delete" && { restore }),
    });
    calls.push(...commandNames.map(callOf));
  }
  return calls;
}

/** What a model is shown before each of its calls. */
export async function connectorCalls(version: Version, server: Server): Promise<VersionCall[]> {
  const { store } = await placeOf(version, server, "shown");
  const { MemoryNode } = version.package;
  const node = new MemoryNode({ store, nodeId: "bench" });
  for (const path of fixtureOf(100).paths) await node.memory().write(path, text);
  return (["tree", "full"] as const).map((content): VersionCall => {
    const connector = node.createConnector({ content, maxChars: 200_000 });
    return {
      area: "Connector",
      name: `renderMessage, ${content}, 100 files`,
      iterations: 90,
      call: () => connector.renderMessage(),
    };
  });
}
