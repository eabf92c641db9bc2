import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { LazyBlocks } from "./lazy-blocks.js";
import { Empty } from "./parts.js";
import { Shown } from "./shown.js";

const rowPx = 21;

/** Longer lines are shown in pieces, as a browser lays out a piece at once. */
const maxPieceChars = 2000;

export interface LineRow {
  /** Null for a further piece of the line before. */
  number: number | null;
  text: string;
  chars: number;
}

/** A text with the numbers of its lines. @param shown the line that is scrolled to */
export function Lines({ text, shown }: { text: string; shown?: number | undefined }): VNode {
  const rows = useMemo(() => lineRows(text), [text]);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    element.current?.querySelector(".line.shown")?.scrollIntoView({ block: "center" });
  }, [shown]);
  if (text === "") return <Empty title="The file is empty" />;
  const place = shown === undefined ? -1 : rows.findIndex(({ number }) => number === shown);
  return (
    <div class="lines" ref={element}>
      <LazyBlocks
        key={shown}
        rows={rows}
        rowPx={rowPx}
        first={place}
        render={(row, index) => <Line key={index} row={row} isShown={index === place} />}
      />
    </div>
  );
}

export function Line({ row, isShown = false }: { row: LineRow; isShown?: boolean }): VNode {
  return (
    <div class={`line ${isShown ? "shown" : ""}`}>
      <span class="line-number" data-line={row.number ?? ""} />
      <span class="line-text" dir="auto">
        <Shown text={row.text} />
      </span>
    </div>
  );
}

/** A newline at the end begins no further line. */
export function lineRows(text: string): LineRow[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.flatMap((line, index) =>
    piecesOf(line).map((piece, place) => ({
      number: place === 0 ? index + 1 : null,
      text: piece,
      chars: piece.length + 40,
    })),
  );
}

export function piecesOf(line: string): string[] {
  if (line.length <= maxPieceChars) return [line];
  const pieces: string[] = [];
  for (let start = 0; start < line.length;) {
    const unit = line.charCodeAt(start + maxPieceChars - 1);
    // Never half a character.
    const end = start + (unit >= 0xd800 && unit <= 0xdbff ? maxPieceChars - 1 : maxPieceChars);
    pieces.push(line.slice(start, end));
    start = end;
  }
  return pieces;
}
