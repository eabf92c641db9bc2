import type { VNode } from "preact";
import { LongList } from "../parts/long-list.js";
import { Name, Shown } from "../parts/shown.js";
import type { LogRow } from "./log-day.js";

/** Shows a thread's day in the log of conversations as a chat. */
export function Chat({ rows }: { rows: readonly LogRow[] }): VNode {
  return (
    <LongList
      class="chat"
      rows={rows}
      render={(row, index) =>
        "time" in row ? (
          <h3 key={index}>{row.time}</h3>
        ) : (
          <div key={index} class={row.role === "User" ? "said by-user" : "said"}>
            <p class="muted">
              <b>{row.role}</b> <Name text={row.name} />
            </p>
            <p class="said-text" dir="auto">
              <Shown text={row.text} />
            </p>
          </div>
        )
      }
    />
  );
}
