import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Hunk } from "../data/types.js";
import { numberText } from "../parts/format.js";
import { LongList } from "../parts/long-list.js";
import { Choice } from "../parts/parts.js";
import { Shown } from "../parts/shown.js";
import { createRows, type DiffRow, splitRows } from "./diff-rows.js";

const formKey = "memory-page-diff";

const forms = [
  ["unified", "Unified"],
  ["split", "Side by side"],
] as const;

type Form = (typeof forms)[number][0];

/** Shows a difference, in one column or in two. */
export function DiffView({ hunks }: { hunks: readonly Hunk[] }): VNode {
  const [form, setForm] = useState<Form>(localStorage.getItem(formKey) === "split" ? "split" : "unified");
  const rows = useMemo(() => createRows(hunks), [hunks]);
  if (rows.length === 0) return <p class="note">No text changed.</p>;
  const count = (kind: DiffRow["kind"]): string => numberText(rows.filter((row) => row.kind === kind).length);
  const choose = (chosen: Form): void => {
    localStorage.setItem(formKey, chosen);
    setForm(chosen);
  };
  return (
    <div class="diff">
      <div class="diff-head">
        <span class="added">+{count("added")}</span> <span class="removed">−{count("removed")}</span>
        <Choice label="Form of the difference" value={form} options={forms} choose={choose} />
      </div>
      {form === "unified" ? <Unified rows={rows} /> : <Split rows={rows} />}
    </div>
  );
}

/** Makes long lines scrollable by the arrow keys. */
const scrolled = { tabIndex: 0, role: "group", "aria-label": "Lines of the difference" } as const;

function Unified({ rows }: { rows: readonly DiffRow[] }): VNode {
  return (
    <LongList
      {...scrolled}
      class="diff-rows"
      rows={rows}
      render={(row, index) => (
        <div key={index} class={`diff-row ${row.kind}`}>
          <span class="line-number" data-line={row.older ?? ""} />
          <span class="line-number" data-line={row.newer ?? ""} />
          <Cell row={row} />
        </div>
      )}
    />
  );
}

function Split({ rows }: { rows: readonly DiffRow[] }): VNode {
  const split = useMemo(() => splitRows(rows), [rows]);
  return (
    <LongList
      {...scrolled}
      class="diff-rows split"
      rows={split}
      render={({ left, right }, index) =>
        left?.kind === "gap" || left?.kind === "note" ? (
          <div key={index} class={`diff-row ${left.kind}`}>
            <Cell row={left} />
          </div>
        ) : (
          <div key={index} class="diff-row">
            <Side row={left} column="older" />
            <Side row={right} column="newer" />
          </div>
        )
      }
    />
  );
}

function Side({ row, column }: { row: DiffRow | null; column: "older" | "newer" }): VNode {
  return (
    <div class={`diff-side ${row?.kind ?? "none"}`}>
      <span class="line-number" data-line={row?.[column] ?? ""} />
      {row !== null && <Cell row={row} />}
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
