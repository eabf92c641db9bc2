import type { VNode } from "preact";
import { useLive } from "../data/live.js";
import { inboxHref } from "../data/route.js";
import type { Address } from "../data/types.js";
import { numberText } from "../../../core/display/count-text.js";

/** The link to the inbox, with the number of proposals that wait in all memories. */
export function InboxLink({ isCurrent }: { isCurrent: boolean }): VNode {
  const { count, more } = useLive().waiting;
  return (
    <a class="inbox-link" href={inboxHref()} aria-current={isCurrent ? "page" : undefined}>
      Inbox
      <Waiting text={count === 0 ? null : `${numberText(count)}${more ? "+" : ""}`} />
    </a>
  );
}

/** The number of proposals that wait in a memory. Shows nothing if none waits. */
export function WaitingIn({ address }: { address: Address }): VNode | null {
  const key = JSON.stringify(address);
  const count = useLive().waiting.memories.find((memory) => JSON.stringify(memory.address) === key)?.count;
  return <Waiting text={count === undefined ? null : numberText(count)} />;
}

function Waiting({ text }: { text: string | null }): VNode | null {
  if (text === null) return null;
  return (
    <>
      {" "}
      <span class="waiting" title={`${text} waiting for a person`}>
        {text}
        <span class="spoken"> waiting</span>
      </span>
    </>
  );
}
