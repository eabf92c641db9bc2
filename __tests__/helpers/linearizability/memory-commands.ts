import type { Memory } from "../../../src/index.js";
import { ModelMemory } from "../model-memory.js";
import { outcomeOf } from "./outcome.js";
import type { Specification } from "./checker.js";

/** A call of a memory, in JSON. */
export type Command =
  | { name: "read" | "list" | "delete"; path: string }
  | { name: "append" | "write" | "create" | "edit"; path: string; content: string }
  | { name: "update"; path: string; oldContent: string; content: string }
  | { name: "rename"; path: string; to: string }
  | { name: "snapshot"; path: "/" };

export function changes({ name }: Command): boolean {
  return name !== "read" && name !== "list" && name !== "snapshot";
}

/** Makes a call and returns its answer without times, because a model knows no times. */
export async function perform(memory: Memory, command: Command): Promise<unknown> {
  switch (command.name) {
    case "read":
      return memory.read(command.path);
    case "list":
      return memory.list(command.path);
    case "delete":
      return memory.delete(command.path);
    case "append":
      return memory.append(command.path, command.content);
    case "write":
      return (await memory.write(command.path, command.content)).sizeBytes;
    case "create":
      return (await memory.write(command.path, command.content, { ifExists: "fail" })).sizeBytes;
    case "edit":
      return (await memory.edit(command.path, (text) => command.content + text)).sizeBytes;
    case "update":
      return memory.update(command.path, command.oldContent, command.content);
    case "rename":
      return memory.rename(command.path, command.to);
    case "snapshot": {
      const { files, directories } = await memory.snapshot();
      return [files.map(({ path, content }) => [path, content]), directories];
    }
    default:
      throw new TypeError(`no such command: ${JSON.stringify(command satisfies never)}`);
  }
}

function performOn(model: ModelMemory, command: Command): unknown {
  switch (command.name) {
    case "read":
      return model.read(command.path);
    case "list":
      return model.list(command.path);
    case "delete":
      return model.delete(command.path);
    case "append":
      return model.append(command.path, command.content);
    case "write":
      return model.write(command.path, command.content, "replace", "create");
    case "create":
      return model.write(command.path, command.content, "fail", "create");
    case "edit":
      return model.write(command.path, command.content + model.read(command.path), "replace", "fail");
    case "update":
      return model.update(command.path, command.oldContent, command.content);
    case "rename":
      return model.rename(command.path, command.to);
    case "snapshot":
      return [sortedFiles(model), [...model.directories].toSorted()];
    default:
      throw new TypeError(`no such command: ${JSON.stringify(command satisfies never)}`);
  }
}

const sortedFiles = (model: ModelMemory): [string, string][] =>
  [...model.files].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** The memory with which all backends are compared. */
export const memorySpecification: Specification<ModelMemory, Command> = {
  initial: new ModelMemory(),
  step(before, command) {
    const state = new ModelMemory(before.files, before.directories);
    const answer = outcomeOf(() => performOn(state, command));
    // A refused command changes nothing, although the model may have changed a part.
    return "code" in answer
      ? { state: before, answer: JSON.stringify(answer) }
      : { state, answer: JSON.stringify(answer) };
  },
  keyOf: (model) => JSON.stringify([sortedFiles(model), [...model.directories].toSorted()]),
};
