import type { Memory } from "../../src/index.js";
import type { Call } from "../measuring/measure.js";
import { addition, type Fixture, pickFile, text } from "./fixture.js";

export type Command = "append" | "update" | "write" | "delete" | "read" | "list" | "stat" | "outline" | "snapshot";

/** The package's side. */
export function createCommands(memory: Memory, fixture: Fixture): Record<Command, Call> {
  const getPath = (iteration: number): string => pickFile(fixture, iteration).path;
  return {
    append: (iteration) => memory.append(getPath(iteration), addition),
    update: (iteration) => {
      const { path, oldWord, newWord } = pickFile(fixture, iteration);
      return memory.update(path, oldWord, newWord);
    },
    write: (iteration) => memory.write(getPath(iteration), text),
    delete: (iteration) => memory.delete(getPath(iteration)),
    read: (iteration) => memory.read(getPath(iteration)),
    list: () => memory.list("/"),
    stat: (iteration) => memory.stat(getPath(iteration)),
    outline: () => memory.outline(),
    snapshot: () => memory.snapshot(),
  };
}
