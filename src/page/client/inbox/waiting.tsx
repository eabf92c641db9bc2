import { type ComponentChildren, createContext, type VNode } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import type { Address } from "../data/types.js";
import { changedEvent } from "../data/api.js";
import { useTicks } from "../data/live.js";
import { inboxHref } from "../data/route.js";
import { useData } from "../data/use-data.js";
import { numberText } from "../parts/format.js";

const pollMs = 4000;

/** Returns a text that changes every few seconds, and after each change made on the page. */
export function useInboxVersion(): string {
  const [changes, setChanges] = useState(0);
  const ticks = useTicks(pollMs);
  useEffect(() => {
    const count = (): void => setChanges((number) => number + 1);
    addEventListener(changedEvent, count);
    return () => removeEventListener(changedEvent, count);
  }, []);
  return `${changes} ${ticks}`;
}

const nothing: Answers["waiting"] = { count: 0, more: false, memories: [] };

const WaitingContext = createContext(nothing);

/** Counts the proposals that wait, for the marks inside. @param isOn whether the visitor is admitted */
export function CountsOfWaiting({ isOn, children }: { isOn: boolean; children: ComponentChildren }): VNode {
  const { data } = useData(isOn ? "waiting" : null, {}, useInboxVersion());
  return <WaitingContext.Provider value={data ?? nothing}>{children}</WaitingContext.Provider>;
}

/** The link to the inbox, with the number of proposals that wait in all memories. */
export function InboxLink({ isCurrent }: { isCurrent: boolean }): VNode {
  const { count, more } = useContext(WaitingContext);
  return (
    <a class="inbox-link" href={inboxHref()} aria-current={isCurrent ? "page" : undefined}>
      Inbox
      <Waiting text={count === 0 ? null : `${numberText(count)}${more ? "+" : ""}`} />
    </a>
  );
}

/** The number of proposals that wait in a memory. Shows nothing if none waits. */
export function WaitingIn({ address }: { address: Address }): VNode | null {
  const { memories } = useContext(WaitingContext);
  const key = createKey(address);
  const count = memories.find((memory) => createKey(memory.address) === key)?.count;
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

function createKey({ nodeId, scope, threadId, userId }: Address): string {
  return JSON.stringify([nodeId, scope, threadId, userId]);
}
