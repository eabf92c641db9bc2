export type { MoveInEntry, MoveInFormat } from "./item.js";
export { moveIn } from "./move-in.js";
export type { MoveInOptions } from "./options.js";
export type { MoveInReport } from "./report.js";
