import { useEffect } from "preact/hooks";
import type { Answers } from "../../answers.js";
import type { Address } from "./types.js";

/** A text that a person has typed and not saved, with the file with which the editing began. */
export interface UnsavedText {
  base: Answers["file"];
  text: string;
}

const drafts = new Map<string, UnsavedText>();

const createKey = (address: Address, path: string): string => JSON.stringify([address, path]);

export function findDraft(address: Address, path: string): UnsavedText | undefined {
  return drafts.get(createKey(address, path));
}

/** @param draft null forgets it */
export function keepDraft(address: Address, path: string, draft: UnsavedText | null): void {
  if (draft === null) drafts.delete(createKey(address, path));
  else drafts.set(createKey(address, path), draft);
}

let isGuarded = false;

/** Whether the page asks before it shows something else, because a text is open that is not saved. */
export const hasOpenDraft = (): boolean => isGuarded;

export function allowLeaving(): void {
  isGuarded = false;
}

/** Lets the page, and the browser, ask before they leave a text that is not saved. */
export function useGuard(isNeeded: boolean): void {
  useEffect(() => {
    isGuarded = isNeeded;
    if (!isNeeded) return undefined;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => {
      isGuarded = false;
      removeEventListener("beforeunload", warn);
    };
  }, [isNeeded]);
}
