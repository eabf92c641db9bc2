import type { ComponentChildren, VNode } from "preact";

/** Actions that are rarely needed, behind a small button. A click elsewhere closes them. */
export function Menu({ label, children }: { label: string; children: ComponentChildren }): VNode {
  const leave = (event: FocusEvent & { currentTarget: HTMLDetailsElement }): void => {
    const { currentTarget: menu, relatedTarget } = event;
    // A dialog that an action has opened is part of the menu.
    const isInside = relatedTarget instanceof Node && menu.contains(relatedTarget);
    if (!isInside && menu.querySelector("dialog") === null) menu.open = false;
  };
  return (
    <details class="menu" onFocusOut={leave}>
      <summary class="button quiet" aria-label={label} title={label}>
        ⋯
      </summary>
      <div class="menu-items">{children}</div>
    </details>
  );
}
