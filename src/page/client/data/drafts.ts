import { useEffect } from "preact/hooks";

let isGuarded = false;

/** Asks before the page shows something else, if a text is open that is not saved. @returns whether it may */
export function confirmLeaving(): boolean {
  return !isGuarded || confirm("Leave the text that you have not saved?");
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
