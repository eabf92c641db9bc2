import type { Call } from "../measuring/measure.js";
import { addition, text } from "../memories/fixture.js";
import { type ManyFiles, pickPlace } from "./fixture.js";

export type FileCommand = "read" | "append" | "update" | "write" | "create" | "create by append" | "delete" | "list";

/** The package's side. It deletes what `create` of the same iteration has made. */
export function createCommands({ memory, count }: ManyFiles): Record<FileCommand, Call> {
  const getPath = (iteration: number): string => pickPlace(count, iteration).path;
  return {
    read: (iteration) => memory.read(getPath(iteration)),
    append: (iteration) => memory.append(getPath(iteration), addition),
    update: (iteration) => memory.update(getPath(iteration), "lorem", "lorem"),
    write: (iteration) => memory.write(getPath(iteration), text),
    create: (iteration) => memory.write(`/dir-0/new-${iteration}`, text, { ifExists: "fail" }),
    "create by append": (iteration) => memory.append(`/dir-1/new-${iteration}`, text),
    delete: (iteration) => memory.delete(`/dir-0/new-${iteration}`),
    list: (iteration) => memory.list(pickPlace(count, iteration).directory),
  };
}
