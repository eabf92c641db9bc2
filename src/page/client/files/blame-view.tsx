import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { Answers } from "../../answers.js";
import type { Version } from "../data/types.js";
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
      render={({ isFirst, version, isRedacted, line }, index) => (
        <div key={index} class={`line ${isFirst ? "first" : ""}`}>
          <span class="who">{isFirst && <Who version={version} isRedacted={isRedacted} />}</span>
          <Line row={line} />
        </div>
      )}
    />
  );
}

function Who({ version, isRedacted }: Pick<BlamedRow, "version" | "isRedacted">): VNode {
  const { href } = useMemory();
  if (version === undefined) return <span class="muted">{isRedacted ? "redacted" : "older than what is kept"}</span>;
  return (
    <a href={href({ tab: "history", path: version.path, version: version.id })}>
      <Actor actor={version.actor} /> <Time time={version.at} />
    </a>
  );
}

interface BlamedRow {
  line: LineRow;
  version: Version | undefined;
  isRedacted: boolean;
  /** Whether this is the first row of its run. */
  isFirst: boolean;
}

function createRows({ runs, versions }: Answers["blame"]): BlamedRow[] {
  const rows: BlamedRow[] = [];
  let number = 0;
  for (const run of runs) {
    for (const [index, text] of run.lines.entries()) {
      number += 1;
      for (const line of splitLine(text, number)) {
        const isFirst = index === 0 && line.number !== null;
        rows.push({ line, version: versions[run.version], isRedacted: run.version === -2, isFirst });
      }
    }
  }
  return rows;
}
