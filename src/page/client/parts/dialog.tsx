import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ApiError, toApiError } from "../data/api.js";
import { ErrorNote } from "./parts.js";

interface DialogProps {
  title: string;
  /** Label of the button that runs the action. */
  act: string;
  isDangerous?: boolean;
  /** Says what is missing before the action can run. Fields that are missing have `data-missing`. Null: nothing. */
  missing?: string | null;
  /** Whether the dialog only informs. */
  isNote?: boolean;
  /** Runs the action. The dialog stays open if the action fails or answers "stay". */
  run: () => Promise<"stay" | void>;
  close: () => void;
  children: ComponentChildren;
  /** Further actions after this error. */
  afterError?: (error: ApiError) => ComponentChildren;
}

/** Shows the effect of an action, and runs it. The browser keeps the focus inside the dialog. */
export function Dialog({
  title,
  act,
  isDangerous = false,
  missing = null,
  isNote = false,
  run,
  close,
  children,
  afterError,
}: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  // Before the next key: else it would go to the button that the browser has given the focus to.
  useLayoutEffect(() => {
    element.current?.showModal();
  }, []);
  useLayoutEffect(() => {
    // A field may appear later than the dialog, with its data. Nobody is taken out of a field.
    if (missing === null || document.activeElement?.matches("dialog :is(input, textarea)") === true) return;
    element.current?.querySelector<HTMLElement>("[data-missing]")?.focus();
  }, [missing]);
  const submit = (event: Event): void => {
    event.preventDefault();
    setBusy(true);
    run().then(
      (answer) => answer !== "stay" && close(),
      (failure: unknown) => {
        setError(toApiError(failure));
        setBusy(false);
      },
    );
  };
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={close}>
      <form onSubmit={submit}>
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
          {!isNote && (
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

/**
 * A button that opens a dialog. @param children creates the dialog when it opens; the function that it gets closes the
 * dialog
 */
export function DialogButton({
  label,
  class: name = "button",
  children,
}: {
  label: string;
  class?: string;
  children: (close: () => void) => VNode;
}): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={name} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}
