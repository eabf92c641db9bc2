import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Empty } from "./parts.js";
import { Shown } from "./shown.js";
import { LongList } from "./long-list.js";

/** Longer lines are split into pieces, because a browser lays out a whole piece at once. */
const maxPieceChars = 2000;

export interface LineRow {
  /** Null for a further piece of the previous line. */
  number: number | null;
  text: string;
}

/** Shows a text with line numbers. @param shown the line that is scrolled into view */
export function Lines({ text, shown }: { text: string; shown?: number | undefined }): VNode {
  const rows = useMemo(() => createRows(text), [text]);
  if (text === "") return <Empty title="The file is empty" />;
  const active = shown === undefined ? -1 : rows.findIndex(({ number }) => number === shown);
  return (
    <LongList
      class="lines"
      rows={rows}
      shown={active}
      render={(row, index) => (
        <div key={index} class={`line ${index === active ? "shown" : ""}`}>
          <Line row={row} />
        </div>
      )}
    />
  );
}

/** Shows the number and the text of a line. */
export function Line({ row: { number, text } }: { row: LineRow }): VNode {
  return (
    <>
      <span class="line-number" data-line={number ?? ""} />
      <span class="line-text" dir="auto">
        <Shown text={text} />
      </span>
    </>
  );
}

/** Creates the rows. A newline at the end begins no further line. */
function createRows(text: string): LineRow[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.flatMap((line, index) => splitLine(line, index + 1));
}

export function splitLine(line: string, number: number): LineRow[] {
  const rows: LineRow[] = [];
  let start = 0;
  do {
    const unit = line.charCodeAt(start + maxPieceChars - 1);
    // A piece never ends between two halves of a character.
    const end = start + (unit >= 0xd800 && unit <= 0xdbff ? maxPieceChars - 1 : maxPieceChars);
    rows.push({ number: start === 0 ? number : null, text: line.slice(start, end) });
    start = end;
  } while (start < line.length);
  return rows;
}
