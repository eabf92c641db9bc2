import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { LongList } from "../parts/long-list.js";
import { Name, Shown } from "../parts/shown.js";
import { isByUser, type LogRow } from "../../../conversation/read-log.js";
import { type Linking, MarkdownText, useMarkdown } from "./markdown.js";

/** Shows a thread's day in the log of conversations as a chat: each message once, with its Markdown. */
export function Chat({ rows, ...linking }: { rows: readonly LogRow[] } & Linking): VNode {
  const texts = useMemo(() => rows.map((row) => ("text" in row ? row.text : "")), [rows]);
  const parsed = useMarkdown(texts);
  return (
    <LongList
      class="chat"
      rows={rows}
      render={(row, index) => {
        if ("time" in row) return <h3 key={index}>{row.time}</h3>;
        const tokens = parsed?.[index];
        return (
          <div key={index} class={isByUser(row) ? "said by-user" : "said"}>
            <p class="muted">
              <b>{row.role}</b> <Name text={row.name} />
            </p>
            {tokens === undefined ? (
              <p class="said-text" dir="auto">
                <Shown text={row.text} />
              </p>
            ) : (
              <MarkdownText tokens={tokens} {...linking} />
            )}
          </div>
        );
      }}
    />
  );
}
