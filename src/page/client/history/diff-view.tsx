import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { Hunk } from "../data/types.js";
import { numberText } from "../../../core/display/count-text.js";
import { LongList } from "../parts/long-list.js";
import { Shown } from "../parts/shown.js";
import { createRows, type DiffRow } from "./diff-rows.js";

/** Shows a difference. The arrow keys scroll long lines. */
export function DiffView({ hunks }: { hunks: readonly Hunk[] }): VNode {
  const rows = useMemo(() => createRows(hunks), [hunks]);
  if (rows.length === 0) return <p class="note">No text changed.</p>;
  const count = (kind: DiffRow["kind"]): string => numberText(rows.filter((row) => row.kind === kind).length);
  return (
    <div class="diff">
      <div class="diff-head">
        <span class="added">+{count("added")}</span> <span class="removed">−{count("removed")}</span>
      </div>
      <LongList
        class="diff-rows"
        tabIndex={0}
        role="group"
        aria-label="Lines of the difference"
        rows={rows}
        render={(row, index) => (
          <div key={index} class={`diff-row ${row.kind}`}>
            <span class="line-number" data-line={row.older ?? ""} />
            <span class="line-number" data-line={row.newer ?? ""} />
            <Cell row={row} />
          </div>
        )}
      />
    </div>
  );
}

const signs = { added: "+", removed: "−", same: " ", gap: "", note: "" } as const;
const spoken = { added: "added: ", removed: "removed: ", same: "", gap: "", note: "" } as const;

function Cell({ row: { kind, text, changed } }: { row: DiffRow }): VNode {
  const [start, end] = changed ?? [text.length, text.length];
  return (
    <>
      <span class="sign" data-sign={signs[kind]} />
      <span class="line-text" dir="auto">
        {spoken[kind] !== "" && <span class="spoken">{spoken[kind]}</span>}
        <Shown text={text.slice(0, start)} />
        {end > start && (
          <em>
            <Shown text={text.slice(start, end)} />
          </em>
        )}
        <Shown text={text.slice(end)} />
      </span>
    </>
  );
}
