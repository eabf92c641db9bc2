import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, toApiError } from "../data/api.js";
import { ErrorNote } from "./parts.js";

interface DialogProps {
  title: string;
  /** Label of the button that runs the action. */
  act: string;
  isDangerous?: boolean;
  isReady?: boolean;
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
  isReady = true,
  isNote = false,
  run,
  close,
  children,
  afterError,
}: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    element.current?.showModal();
  }, []);
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
          {!isNote && (
            <button type="button" class="button" onClick={close}>
              Cancel
            </button>
          )}
          <button type="submit" class={`button ${isDangerous ? "danger" : "primary"}`} disabled={!isReady || isBusy}>
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
