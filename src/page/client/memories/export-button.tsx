import type { VNode } from "preact";
import { open } from "../data/api.js";
import { useAct } from "../parts/act.js";
import { ErrorNote } from "../parts/parts.js";

/** Saves all memories as a file. A link cannot do so, because the request needs the page's own header. */
export function ExportButton(): VNode {
  const { isBusy, error, run } = useAct(async () => {
    const response = await open("export", {}, null);
    const url = URL.createObjectURL(await response.blob());
    Object.assign(document.createElement("a"), { href: url, download: "memories.jsonl" }).click();
    // The browser may read it a little later.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
  return (
    <>
      <button type="button" class="button" disabled={isBusy} onClick={run}>
        {isBusy ? "Working…" : "Export"}
      </button>
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}
