export type { MoveInEntry, MoveInNote } from "./entry.js";
export { moveIn } from "./move-in.js";
export type { MoveInOptions, MoveInReport } from "./move-in.js";
export { readEntries } from "./read-entries.js";
