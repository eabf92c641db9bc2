export type { MoveInFormatName } from "./formats.js";
export type { MoveInConversation, MoveInEntry, MoveInFormat, MoveInItem, MoveInNote } from "./item.js";
export { moveIn } from "./move-in.js";
export type { MoveInOptions, MoveInOutcome } from "./options.js";
export type { MoveInReport } from "./report.js";
