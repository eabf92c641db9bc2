import type { ComponentChildren, VNode } from "preact";
import { useContext } from "preact/hooks";
import type { Address, Actor, Version } from "../data/types.js";
import type { ApiError } from "../data/api.js";
import { useIsOwner } from "../data/session.js";
import { MinuteContext } from "../data/minute.js";
import { actorText, agoText, momentText, operationMarks, ownerText, scopeWords } from "./format.js";
import { Name } from "./shown.js";

/** Says how long ago it was, as time goes by. */
export function Time({ time }: { time: string }): VNode {
  useContext(MinuteContext);
  return (
    <time dateTime={time} title={momentText(time)}>
      {agoText(time)}
    </time>
  );
}

/** Shows the owner of a memory. */
export function Owner({ address }: { address: Address }): VNode {
  const owner = ownerText(address);
  return (
    <span class="owner">
      <span class={`scope ${address.scope}`}>{scopeWords[address.scope]}</span>
      {owner !== null && <Name text={owner} class="id" />}
    </span>
  );
}

/** Names a memory. A person who sees only their own memories does not need its owner. */
export function MemoryName({ address }: { address: Address }): VNode {
  const isOwner = useIsOwner();
  return (
    <>
      <Name text={address.nodeId} class="node" /> {!isOwner && <Owner address={address} />}
    </>
  );
}

export function Actor({ actor }: { actor: Actor | null }): VNode {
  return <Name text={actorText(actor)} class="actor" />;
}

export function Operation({ operation }: Pick<Version, "operation">): VNode {
  return <span class={`operation ${operation}`}>{operationMarks[operation]}</span>;
}

export function ErrorNote({ error }: { error: ApiError }): VNode {
  return (
    <div class="fault" role="alert">
      <strong>{createTitle(error)}</strong>
      <p>
        <Name text={error.message} />
      </p>
    </div>
  );
}

function createTitle({ status, code }: ApiError): string {
  if (status === 401) return "This address needs its token";
  if (code === "ENOENT") return "Not found";
  if (code === "EIO") return "No answer";
  return "Refused";
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

function Loading(): VNode {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  );
}

/** Shown in place of data that is not loaded: a loading sign, or the error if it is known. */
export function Pending({ error }: { error: ApiError | null }): VNode {
  return error === null ? <Loading /> : <ErrorNote error={error} />;
}

/** Shows more of a list. */
export function MoreButton({ words = "Show more", more }: { words?: string; more: () => void }): VNode {
  return (
    <button type="button" class="button more" onClick={more}>
      {words}
    </button>
  );
}

/** Lets a person choose one of a few values. */
export function Choice<T extends string>({
  label,
  value,
  options,
  choose,
}: {
  label: string;
  value: string;
  options: readonly (readonly [T, string])[];
  choose: (value: T) => void;
}): VNode {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([each, words]) => (
        <button type="button" key={each} aria-pressed={each === value} onClick={() => choose(each)}>
          {words}
        </button>
      ))}
    </div>
  );
}
