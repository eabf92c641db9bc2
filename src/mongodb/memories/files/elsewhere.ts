import { movedAway, notHere } from "../moved-memory.js";
import { isMark } from "./stored-document.js";

/** @param root that of a memory, undefined or null where there is none. @throws movedAway, notHere */
export function refuseElsewhere(
  { isGuest }: { isGuest?: boolean },
  root: { kind?: string | undefined } | null | undefined,
): void {
  if (isMark(root)) throw movedAway();
  if (isGuest === true && (root === null || root === undefined)) throw notHere();
}
