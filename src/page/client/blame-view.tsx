import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { WireAddress, WireBlame, WireVersion } from "../wire.js";
import { useData } from "./api.js";
import { LazyBlocks } from "./lazy-blocks.js";
import { type LineRow, piecesOf } from "./lines.js";
import { Actor, Fault, Loading, Time } from "./parts.js";
import { fieldsOf, memoryHref } from "./route.js";
import { Shown } from "./shown.js";

interface BlamedRow extends LineRow {
  version: WireVersion | null;
  isFirst: boolean;
}

/** The lines of a file, and beside each run of them who brought it, and when. */
export function BlameView({ address, path, version }: { address: WireAddress; path: string; version: string }): VNode {
  const { data, error } = useData<WireBlame>("blame", { ...fieldsOf(address), path }, version);
  const rows = useMemo(() => (data === null ? [] : rowsOf(data)), [data]);
  if (error !== null) return <Fault error={error} />;
  if (data === null) return <Loading />;
  return (
    <div class="lines blame">
      <LazyBlocks
        rows={rows}
        rowPx={21}
        render={({ version: brought, isFirst, number, text }, index) => (
          <div key={index} class={`line ${isFirst ? "first" : ""}`}>
            <span class="who">
              {isFirst &&
                (brought === null ? (
                  <span class="muted">older than what is kept</span>
                ) : (
                  <Who address={address} version={brought} />
                ))}
            </span>
            <span class="line-number" data-line={number ?? ""} />
            <span class="line-text" dir="auto">
              <Shown text={text} />
            </span>
          </div>
        )}
      />
    </div>
  );
}

function Who({ address, version }: { address: WireAddress; version: WireVersion }): VNode {
  return (
    <a href={memoryHref(address, { tab: "history", path: version.path, version: version.id })}>
      <Actor actor={version.actor} /> <Time time={version.at} />
    </a>
  );
}

function rowsOf({ runs, versions }: WireBlame): BlamedRow[] {
  const rows: BlamedRow[] = [];
  let number = 0;
  for (const run of runs) {
    for (const [index, line] of run.lines.entries()) {
      number += 1;
      for (const [place, piece] of piecesOf(line).entries()) {
        rows.push({
          number: place === 0 ? number : null,
          text: piece,
          chars: piece.length + 40,
          version: versions[run.version] ?? null,
          isFirst: index === 0 && place === 0,
        });
      }
    }
  }
  return rows;
}
