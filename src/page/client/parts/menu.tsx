import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface MenuItem {
  label: string;
  isDangerous?: boolean;
  act: () => void;
}

/** Shows actions that are rarely needed, below a button. The arrow keys move, and Escape closes. */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }): VNode {
  const element = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return undefined;
    element.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const closeOutside = (event: Event): void => {
      if (event.target instanceof Node && element.current?.contains(event.target) !== true) setOpen(false);
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    element.current?.querySelector("button")?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    const entries = [...(element.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const index = entries.findIndex((each) => each === document.activeElement);
    const moveTo = (next: number): void => entries.at(next % entries.length)?.focus();
    const act = {
      Escape: close,
      Tab: () => setOpen(false),
      ArrowDown: () => moveTo(index + 1),
      ArrowUp: () => moveTo(index - 1),
      Home: () => moveTo(0),
      End: () => moveTo(-1),
    }[event.key];
    if (!isOpen || act === undefined) return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <div class="menu" ref={element} onKeyDown={press}>
      <button
        type="button"
        class="button quiet"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        ⋯
      </button>
      {isOpen && (
        <div class="menu-items" role="menu" aria-label={label}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={item.isDangerous === true ? "dangerous" : ""}
              onClick={() => {
                close();
                item.act();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
