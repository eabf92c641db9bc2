import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { numberText } from "./format.js";
import { LazyBlocks } from "./lazy-blocks.js";
import { type DiffRow, parseDiff, splitRows } from "./parse-diff.js";
import { Choice } from "./parts.js";
import { Shown } from "./shown.js";

const rowPx = 21;
const formKey = "memory-page-diff";

/** A unified diff, in one column or in two. */
export function DiffView({ diff }: { diff: string }): VNode {
  const [form, setForm] = useState<"unified" | "split">(
    localStorage.getItem(formKey) === "split" ? "split" : "unified",
  );
  const rows = useMemo(() => parseDiff(diff), [diff]);
  if (rows.length === 0) return <p class="note">No text changed.</p>;
  const count = (kind: DiffRow["kind"]): string => numberText(rows.filter((row) => row.kind === kind).length);
  const choose = (chosen: typeof form): void => {
    localStorage.setItem(formKey, chosen);
    setForm(chosen);
  };
  return (
    <div class="diff">
      <div class="diff-head">
        <span class="added">+{count("added")}</span> <span class="removed">−{count("removed")}</span>
        <Choice
          label="Form of the difference"
          value={form}
          options={
            [
              ["unified", "Unified"],
              ["split", "Side by side"],
            ] as const
          }
          choose={choose}
        />
      </div>
      {form === "unified" ? <Unified rows={rows} /> : <Split rows={rows} />}
    </div>
  );
}

/** Long lines are reached by the arrow keys. */
const scrolled = { tabIndex: 0, role: "group", "aria-label": "Lines of the difference" } as const;

function Unified({ rows }: { rows: readonly DiffRow[] }): VNode {
  return (
    <div class="diff-rows" {...scrolled}>
      <LazyBlocks
        rows={rows}
        rowPx={rowPx}
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

function Split({ rows }: { rows: readonly DiffRow[] }): VNode {
  const split = useMemo(() => splitRows(rows), [rows]);
  return (
    <div class="diff-rows split" {...scrolled}>
      <LazyBlocks
        rows={split}
        rowPx={rowPx}
        render={({ left, right }, index) =>
          left?.kind === "gap" || left?.kind === "note" ? (
            <div key={index} class={`diff-row ${left.kind}`}>
              <Cell row={left} />
            </div>
          ) : (
            <div key={index} class="diff-row">
              <Side row={left} place="older" />
              <Side row={right} place="newer" />
            </div>
          )
        }
      />
    </div>
  );
}

function Side({ row, place }: { row: DiffRow | null; place: "older" | "newer" }): VNode {
  return (
    <div class={`diff-side ${row?.kind ?? "none"}`}>
      <span class="line-number" data-line={row?.[place] ?? ""} />
      {row !== null && <Cell row={row} />}
    </div>
  );
}

const signs = { added: "+", removed: "−", same: " ", gap: "", note: "" } as const;
const spoken = { added: "added: ", removed: "removed: ", same: "", gap: "", note: "" } as const;

function Cell({ row: { kind, text, changed } }: { row: DiffRow }): VNode {
  const [start, end] = changed ?? [0, 0];
  return (
    <>
      <span class="sign" data-sign={signs[kind]} />
      <span class="line-text" dir="auto">
        {spoken[kind] !== "" && <span class="spoken">{spoken[kind]}</span>}
        <Shown text={changed === undefined ? text : text.slice(0, start)} />
        {changed !== undefined && end > start && (
          <em>
            <Shown text={text.slice(start, end)} />
          </em>
        )}
        {changed !== undefined && <Shown text={text.slice(end)} />}
      </span>
    </>
  );
}
