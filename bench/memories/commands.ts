import type { Memory } from "../../src/core/memory.js";
import { addition, type Fixture, text, turnOf } from "./fixture.js";

export const commandNames = [
  "append",
  "update",
  "write",
  "delete",
  "read",
  "list",
  "stat",
  "outline",
  "snapshot",
] as const;

export type CommandName = (typeof commandNames)[number];

/** One side of the comparison. */
export type Commands = Record<CommandName, (iteration: number) => Promise<unknown>>;

export function memoryCommands(memory: Memory, fixture: Fixture): Commands {
  const turn = (iteration: number) => turnOf(fixture, iteration);
  return {
    append: (iteration) => memory.append(turn(iteration).path, addition),
    update: (iteration) => {
      const { path, oldWord, newWord } = turn(iteration);
      return memory.update(path, oldWord, newWord);
    },
    write: (iteration) => memory.write(turn(iteration).path, text),
    delete: (iteration) => memory.delete(turn(iteration).path),
    read: (iteration) => memory.read(turn(iteration).path),
    list: () => memory.list("/"),
    stat: (iteration) => memory.stat(turn(iteration).path),
    outline: () => memory.outline(),
    snapshot: () => memory.snapshot(),
  };
}
