import { type ComponentChildren, createContext, type VNode } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../data/api.js";
import { useAct } from "./act.js";
import { ErrorNote } from "./parts.js";

export interface DialogProps {
  title: string;
  /** Label of the button that runs the action. */
  act: string;
  isDangerous?: boolean;
  /** Says what is missing before the action can run. Fields that are missing have `data-missing`. Null: nothing. */
  missing?: string | null;
  /** Runs the action. The dialog stays open if the action fails or answers "stay". Without it the dialog informs. */
  run?: () => Promise<unknown>;
  /** @default what the `DialogButton` around the dialog does */
  close?: () => void;
  children: ComponentChildren;
  /** Further actions after this error. */
  afterError?: (error: ApiError) => ComponentChildren;
}

const CloseContext = createContext<() => void>(() => {});

/** Returns the function that closes the dialog of the `DialogButton` around. */
export function useClose(): () => void {
  return useContext(CloseContext);
}

/** Shows the effect of an action, and runs it. The browser keeps the focus inside the dialog. */
export function Dialog({ isDangerous = false, missing = null, run, children, ...dialog }: DialogProps): VNode {
  const closeButton = useClose();
  const { title, act, close = closeButton, afterError } = dialog;
  const element = useRef<HTMLDialogElement>(null);
  const {
    isBusy,
    error,
    run: submit,
  } = useAct(async () => {
    if ((await run?.()) !== "stay") close();
  });
  // Before the next key: else it would go to the button that the browser has given the focus to.
  useLayoutEffect(() => {
    element.current?.showModal();
  }, []);
  useLayoutEffect(() => {
    // A field may appear later than the dialog, with its data. Nobody is taken out of a field.
    if (missing === null || document.activeElement?.matches("dialog :is(input, textarea)") === true) return;
    element.current?.querySelector<HTMLElement>("[data-missing]")?.focus();
  }, [missing]);
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <h2 id="dialog-title">{title}</h2>
        <div class="dialog-body">
          {children}
          {error !== null && <ErrorNote error={error} />}
          {error !== null && afterError?.(error)}
        </div>
        <div class="dialog-buttons">
          <p id="dialog-missing" class="missing" role="status">
            {missing}
          </p>
          {run !== undefined && (
            <button type="button" class="button" onClick={close}>
              Cancel
            </button>
          )}
          <button
            type="submit"
            class={`button ${isDangerous ? "danger" : "primary"}`}
            disabled={missing !== null || isBusy}
            aria-describedby="dialog-missing"
          >
            {isBusy ? "Working…" : act}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** A button that opens a dialog. @param children the dialog, which can close itself */
export function DialogButton({
  label,
  class: name = "button",
  children,
}: {
  label: string;
  class?: string;
  children: VNode;
}): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={name} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && <CloseContext.Provider value={() => setOpen(false)}>{children}</CloseContext.Provider>}
    </>
  );
}
