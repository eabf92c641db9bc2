import type { ComponentChildren, VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

const maxRows = 200;
const maxBlockChars = 20_000;

export interface Row {
  /** How much text it has. */
  chars: number;
}

/**
 * Rows of any height, of which only those near the screen are in the document. A block keeps its height when it leaves.
 * @param first the row whose block is in the document from the start. Default: none
 * @param render of one row, with its index
 */
export function LazyBlocks<T extends Row>({
  rows,
  rowPx,
  first = -1,
  render,
}: {
  rows: readonly T[];
  rowPx: number;
  first?: number;
  render: (row: T, index: number) => ComponentChildren;
}): VNode {
  const blocks = useMemo(() => blocksOf(rows), [rows]);
  return (
    <>
      {blocks.map(([start, end]) => (
        <Block
          key={start}
          rows={end - start}
          rowPx={rowPx}
          isFirst={start <= first && first < end}
          render={() => rows.slice(start, end).map((row, index) => render(row, start + index))}
        />
      ))}
    </>
  );
}

function Block({
  rows,
  rowPx,
  isFirst,
  render,
}: {
  rows: number;
  rowPx: number;
  isFirst: boolean;
  render: () => ComponentChildren;
}): VNode {
  const element = useRef<HTMLDivElement>(null);
  const heightPx = useRef(rows * rowPx);
  const [isNear, setNear] = useState(isFirst);
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry === undefined) return;
        if (!entry.isIntersecting && current.firstChild !== null) heightPx.current = current.offsetHeight;
        setNear(entry.isIntersecting);
      },
      { rootMargin: "1200px 0px" },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={element} style={isNear ? { height: "auto" } : { height: `${heightPx.current}px` }}>
      {isNear && render()}
    </div>
  );
}

function blocksOf(rows: readonly Row[]): [start: number, end: number][] {
  const blocks: [number, number][] = [];
  let start = 0;
  let chars = 0;
  for (const [index, row] of rows.entries()) {
    if (index > start && (index - start >= maxRows || chars + row.chars > maxBlockChars)) {
      blocks.push([start, index]);
      start = index;
      chars = 0;
    }
    chars += row.chars;
  }
  if (start < rows.length) blocks.push([start, rows.length]);
  return blocks;
}
