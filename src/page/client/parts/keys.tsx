import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "./dialog.js";

const offKey = "memory-page-keys-off";

const keys = [
  ["/", "search"],
  ["Enter", "in a search field: open the only hit"],
  ["?", "this list"],
] as const;

/** The button that lists the keys, and the keys themselves. A person can turn them off. */
export function Keys({ searchHref }: { searchHref: string | null }): VNode {
  const [isOpen, setOpen] = useState(false);
  const [isOff, setOff] = useState(localStorage.getItem(offKey) !== null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      if (document.querySelector("dialog[open]") !== null) return;
      if (isTyping(event.target)) {
        if (event.key === "Enter") openOnlyHit(event);
        return;
      }
      const act = isOff
        ? undefined
        : {
            "/": () => focusSearch(searchHref),
            "?": () => setOpen(true),
          }[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [isOff, searchHref]);
  const turn = (on: boolean): void => {
    if (on) localStorage.removeItem(offKey);
    else localStorage.setItem(offKey, "");
    setOff(!on);
  };
  return (
    <>
      <button type="button" class="button quiet keys" aria-label="Keys" title="Keys" onClick={() => setOpen(true)}>
        ?
      </button>
      {isOpen && (
        <Dialog title="Keys" act="Close" isNote run={async () => undefined} close={() => setOpen(false)}>
          <dl class="key-list">
            {keys.map(([key, does]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <label class="check">
            <input type="checkbox" checked={!isOff} onChange={(event) => turn(event.currentTarget.checked)} /> Use these
            keys
          </label>
        </Dialog>
      )}
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select");
}

/** @param href the view that has a search field, if this one has none */
function focusSearch(href: string | null): void {
  const find = (): HTMLInputElement | null => document.querySelector("[role=search] input");
  const field = find();
  if (field !== null) field.select();
  else if (href !== null) {
    addEventListener("hashchange", () => setTimeout(() => find()?.focus()), { once: true });
    location.hash = href;
  }
}

/** Opens what a search or a filter has left, if it is one. The hits of an earlier query do not count. */
function openOnlyHit(event: KeyboardEvent): void {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || field.type !== "search" || field.value === "") return;
  const isSearch = field.closest("[role=search]") !== null;
  const hits = document.querySelectorAll<HTMLElement>(isSearch ? "main a.match" : "main a.memory-row");
  const query = document.querySelector<HTMLElement>("main .results")?.dataset["query"];
  if (hits.length !== 1 || (isSearch && query !== field.value)) return;
  event.preventDefault();
  hits[0]?.click();
}
