import type { Call } from "../measuring/measure.js";
import { addition, text } from "../memories/fixture.js";
import { type ManyFiles, placeOf } from "./fixture.js";

export const fileCommandNames = [
  "read",
  "append",
  "update",
  "write",
  "create",
  "create by append",
  "delete",
  "list",
] as const;

export type FileCommand = (typeof fileCommandNames)[number];

export function fileCommands({ memory, count }: ManyFiles): Record<FileCommand, Call> {
  const pathAt = (iteration: number): string => placeOf(count, iteration).path;
  return {
    read: (iteration) => memory.read(pathAt(iteration)),
    append: (iteration) => memory.append(pathAt(iteration), addition),
    update: (iteration) => memory.update(pathAt(iteration), "lorem", "lorem"),
    write: (iteration) => memory.write(pathAt(iteration), text),
    create: (iteration) => memory.write(`/dir-0/new-${iteration}`, text, { ifExists: "fail" }),
    "create by append": (iteration) => memory.append(`/dir-1/new-${iteration}`, text),
    delete: (iteration) => memory.delete(`/dir-0/new-${iteration}`),
    list: (iteration) => memory.list(placeOf(count, iteration).directory),
  };
}
