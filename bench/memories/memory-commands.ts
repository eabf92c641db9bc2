import type { Memory } from "../../src/core/memory.js";
import type { Commands } from "./commands.js";
import { addition, type Fixture, text, turnOf } from "./fixture.js";

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
