import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { useMemory, useMemoryData } from "../data/memory.js";
import { Line, type LineRow, splitLine } from "../parts/lines.js";
import { LongList } from "../parts/long-list.js";
import { Actor, Pending, Time } from "../parts/parts.js";

/** Shows the lines of a file. Beside each run of lines are its author and its time. */
export function BlameView({ path }: { path: string }): VNode {
  const { data, error } = useMemoryData("blame", { path });
  const rows = useMemo(() => (data === null ? [] : createRows(data)), [data]);
  if (data === null) return <Pending error={error} />;
  return (
    <LongList
      class="lines blame"
      rows={rows}
      render={({ run, line }, index) => (
        <div key={index} class={`line ${run === null ? "" : "first"}`}>
          <span class="who">{run !== null && <Who run={run} />}</span>
          <Line row={line} />
        </div>
      )}
    />
  );
}

type Run = Answers["blame"]["runs"][number];

function Who({ run: { version, isRedacted } }: { run: Run }): VNode {
  const { href } = useMemory();
  if (version === null) return <span class="muted">{isRedacted ? "redacted" : "older than what is kept"}</span>;
  return (
    <a href={href({ tab: "history", path: version.path, version: version.id })}>
      <Actor actor={version.actor} /> <Time time={version.at} />
    </a>
  );
}

interface BlamedRow {
  line: LineRow;
  /** The run, in its first row. Null in the other rows. */
  run: Run | null;
}

function createRows({ runs }: Answers["blame"]): BlamedRow[] {
  const lines = runs.flatMap((run) => run.lines.map((text, index) => ({ text, run: index === 0 ? run : null })));
  return lines.flatMap(({ text, run }, index) =>
    splitLine(text, index + 1).map((line) => ({ line, run: line.number === null ? null : run })),
  );
}
