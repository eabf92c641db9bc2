import type { ComponentChildren, HTMLAttributes, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { MoreButton } from "./parts.js";

/** Number of rows that are in the document at first, and that each press adds. The browser draws those on the screen. */
const stepRows = 2000;

interface LongListProps<Row> extends Omit<HTMLAttributes<HTMLDivElement>, "children"> {
  rows: readonly Row[];
  render: (row: Row, index: number) => ComponentChildren;
  /** The row that is scrolled into view. Its element has the class `shown`. */
  shown?: number;
}

/** Shows many rows, a part at a time. */
export function LongList<Row>({ rows, render, shown = -1, ...others }: LongListProps<Row>): VNode {
  const element = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(Math.max(0, shown - stepRows / 2));
  const [end, setEnd] = useState(first + stepRows);
  useEffect(() => {
    element.current?.querySelector(".shown")?.scrollIntoView({ block: "center" });
  }, [shown]);
  return (
    <>
      {first > 0 && <MoreButton words="Show earlier lines" more={() => setFirst(Math.max(0, first - stepRows))} />}
      <div {...others} ref={element}>
        {rows.slice(first, end).map((row, index) => render(row, first + index))}
      </div>
      {end < rows.length && <MoreButton words="Show more lines" more={() => setEnd(end + stepRows)} />}
    </>
  );
}
