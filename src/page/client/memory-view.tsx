import type { VNode } from "preact";
import { FilesView } from "./files-view.js";
import { ForgetButton } from "./forget.js";
import { HistoryView } from "./history-view.js";
import { useMark } from "./live.js";
import { MessageView } from "./message-view.js";
import { Owner } from "./parts.js";
import { ProposalsView } from "./proposals-view.js";
import { memoryHref } from "./route.js";
import { useSession } from "./session.js";
import { Name } from "./shown.js";
import type { MemoryViewProps } from "./view-props.js";

const tabs = [
  ["files", "Files"],
  ["history", "History"],
  ["proposals", "Proposals"],
  ["message", "What the model sees"],
] as const;

export function MemoryView({ address, query }: Omit<MemoryViewProps, "mark">): VNode {
  const mark = useMark(address);
  const { access } = useSession();
  const { tab = "files" } = query;
  const props = { address, query, mark };
  return (
    <div class="memory">
      <h1 class="spoken">
        <Name text={address.nodeId} /> <Owner address={address} />
      </h1>
      <div class="tab-row">
        <nav class="tabs" aria-label="Views of this memory">
          {tabs.map(([name, words]) => (
            <a
              key={name}
              href={memoryHref(address, name === "files" ? {} : { tab: name })}
              aria-current={tab === name ? "page" : undefined}
            >
              {words}
            </a>
          ))}
        </nav>
        <span class="live" title="Changes appear without a reload">
          Live
        </span>
        {access === "write" && <ForgetButton who={address} />}
      </div>
      {tab === "history" && <HistoryView {...props} />}
      {tab === "proposals" && <ProposalsView {...props} />}
      {tab === "message" && <MessageView {...props} />}
      {!["history", "proposals", "message"].includes(tab) && <FilesView {...props} />}
    </div>
  );
}
