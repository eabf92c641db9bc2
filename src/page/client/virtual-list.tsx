import type { ComponentChildren, HTMLAttributes, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps extends Omit<HTMLAttributes<HTMLDivElement>, "children"> {
  count: number;
  rowPx: number;
  render: (index: number) => ComponentChildren;
  /** Is scrolled into view when it changes. */
  active?: number;
  /** Beyond both ends of what is seen. */
  overscan?: number;
}

/** Rows of one height, of which only those on the screen are in the document. */
export function VirtualList({ count, rowPx, render, active = -1, overscan = 12, ...others }: VirtualListProps): VNode {
  const element = useRef<HTMLDivElement>(null);
  const [{ top, heightPx }, setSeen] = useState({ top: 0, heightPx: 800 });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const look = (): void => setSeen({ top: current.scrollTop, heightPx: current.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(current);
    current.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, []);
  useEffect(() => {
    const { current } = element;
    if (current === null || active < 0) return;
    const [start, end] = [active * rowPx, (active + 1) * rowPx];
    if (start < current.scrollTop) current.scrollTop = start;
    else if (end > current.scrollTop + current.clientHeight) current.scrollTop = end - current.clientHeight;
  }, [active]);
  const first = Math.max(0, Math.floor(top / rowPx) - overscan);
  const last = Math.min(count, Math.ceil((top + heightPx) / rowPx) + overscan);
  return (
    <div {...others} ref={element}>
      <div role="presentation" style={{ height: `${first * rowPx}px` }} />
      {Array.from({ length: Math.max(0, last - first) }, (_, index) => render(first + index))}
      <div role="presentation" style={{ height: `${Math.max(0, count - last) * rowPx}px` }} />
    </div>
  );
}
