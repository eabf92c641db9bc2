import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { type ApiError, open, toApiError } from "../data/api.js";
import type { Query } from "../data/route.js";
import { ErrorNote } from "../parts/parts.js";

/** Saves the memories of a filter as a file. A link cannot do so, because the request needs the page's own header. */
export function ExportButton({ query }: { query: Query }): VNode {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const save = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const response = await open("export", query, null);
      const url = URL.createObjectURL(await response.blob());
      Object.assign(document.createElement("a"), { href: url, download: "memories.jsonl" }).click();
      // The browser may read it a little later.
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    } catch (failure) {
      setError(toApiError(failure));
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" class="button" disabled={isBusy} onClick={() => void save()}>
        {isBusy ? "Working…" : "Export"}
      </button>
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}
