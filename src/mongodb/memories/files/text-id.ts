import { randomBytes } from "node:crypto";

/** Names a text of a file, and no other text ever. Random, as times repeat: clocks of clients differ, and two changes are made in one millisecond. */
export function newTextId(): string {
  return randomBytes(12).toString("base64");
}
