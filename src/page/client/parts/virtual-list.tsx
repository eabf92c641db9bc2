import type { ComponentChildren, HTMLAttributes, VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

/** Number of rows that are added to or removed from the document together. */
const blockRows = 25;

/** Height above and below the window that stays in the document: about two screens. */
const marginPx = 1800;

interface VirtualListProps<Row> extends Omit<HTMLAttributes<HTMLDivElement>, "children"> {
  rows: readonly Row[];
  /** Height of most rows. */
  rowPx: number;
  /** Must return a single element. */
  render: (row: Row, index: number) => ComponentChildren;
  /** The row that always stays in the document. It is scrolled into view when it changes. */
  active?: number;
  /** The position to which the active row is scrolled. */
  place?: "nearest" | "center";
}

/**
 * Shows rows of any height. Only the rows near the window are in the document. Others are gaps of their last known
 * height.
 */
export function VirtualList<Row>({
  rows,
  rowPx,
  render,
  active = -1,
  place = "nearest",
  ...others
}: VirtualListProps<Row>): VNode {
  const element = useRef<HTMLDivElement>(null);
  const measured = useMemo(() => new Map<number, number>(), [rows]);
  const [{ first, end }, setShown] = useState({ first: 0, end: 1 });
  const count = Math.ceil(rows.length / blockRows);
  const activeBlock = Math.floor(active / blockRows);
  const heightAt = (block: number): number =>
    measured.get(block) ?? Math.min(blockRows, rows.length - block * blockRows) * rowPx;
  const heightBetween = (start: number, stop: number): number => {
    let height = 0;
    for (let block = start; block < stop; block += 1) height += heightAt(block);
    return height;
  };

  const update = (): void => {
    const list = element.current;
    for (const each of list?.querySelectorAll<HTMLElement>(":scope > [data-block]") ?? [])
      measured.set(Number(each.dataset["block"]), each.offsetHeight);
    let top = list?.firstElementChild?.getBoundingClientRect().top ?? 0;
    const shown = { first: 0, end: 0 };
    for (let block = 0; block < count; block += 1) {
      const bottom = top + heightAt(block);
      if (bottom > -marginPx && top < innerHeight + marginPx) {
        if (shown.end === 0) shown.first = block;
        shown.end = block + 1;
      }
      top = bottom;
    }
    if (shown.first !== first || shown.end !== end) setShown(shown);
  };
  useLayoutEffect(() => {
    update();
    // Listens to every element, because the scrolled element may be another one than the list.
    const options = { capture: true, passive: true };
    document.addEventListener("scroll", update, options);
    addEventListener("resize", update);
    return () => {
      document.removeEventListener("scroll", update, options);
      removeEventListener("resize", update);
    };
  });
  useEffect(() => {
    const block = element.current?.querySelector(`:scope > [data-block="${activeBlock}"]`);
    block?.children[active % blockRows]?.scrollIntoView({ block: place });
  }, [active]);

  const parts: ComponentChildren[] = [];
  let next = 0;
  const addGap = (block: number): void => {
    parts.push(<div key={`gap ${block}`} role="presentation" style={{ height: `${heightBetween(next, block)}px` }} />);
  };
  for (let block = 0; block < count; block += 1) {
    if (block !== activeBlock && (block < first || block >= end)) continue;
    addGap(block);
    const start = block * blockRows;
    parts.push(
      <div key={`block ${block}`} role="presentation" data-block={block}>
        {rows.slice(start, start + blockRows).map((row, index) => render(row, start + index))}
      </div>,
    );
    next = block + 1;
  }
  addGap(count);
  return (
    <div {...others} ref={element}>
      {parts}
    </div>
  );
}
