import { useEffect } from "preact/hooks";

/**
 * Ctrl K, or ⌘ K, leads to the search. Reason for the modifier: a letter alone would also be typed by speech input.
 * @param href the view that has a search field, if this one has none
 */
export function useSearchKey(href: string): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (document.querySelector("dialog[open]") === null) focusSearch(href);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [href]);
}

function focusSearch(href: string): void {
  const find = (): HTMLInputElement | null => document.querySelector("[role=search] input");
  const field = find();
  if (field !== null) field.select();
  else {
    addEventListener("hashchange", () => setTimeout(() => find()?.focus()), { once: true });
    location.hash = href;
  }
}
