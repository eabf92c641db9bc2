import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { WireMessage } from "../wire.js";
import { useData } from "./api.js";
import { countText, numberText } from "./format.js";
import { Lines } from "./lines.js";
import { Choice, Empty, Fault, Loading } from "./parts.js";
import { fieldsOf, memoryHref, replace } from "./route.js";
import type { MemoryViewProps } from "./view-props.js";

const contents = [
  ["tree", "Tree"],
  ["index", "Index"],
  ["full", "Full"],
] as const;

type Content = (typeof contents)[number][0];

/** The message that a connector shows a model of this memory. */
export function MessageView({ address, query, mark }: MemoryViewProps): VNode {
  const { content, maxChars, at } = query;
  const asked = {
    ...fieldsOf(address),
    ...(content !== undefined && { content }),
    ...(maxChars !== undefined && { maxChars }),
    ...(at !== undefined && { at }),
  };
  const { data, error } = useData<WireMessage>("message", asked, at ?? mark);
  const show = (change: Record<string, string>): void => replace(memoryHref(address, { ...query, ...change }));
  return (
    <div class="message">
      <div class="tools">
        <Choice<Content>
          label="What the connector shows"
          value={data?.content ?? (content as Content | undefined) ?? "tree"}
          options={contents}
          choose={(value) => show({ content: value })}
        />
        <MaxChars value={data?.maxChars ?? 0} choose={(value) => show({ maxChars: String(value) })} />
        <span class="muted">{at === undefined ? "as it is now" : `as it was right after version ${at}`}</span>
        {at !== undefined && (
          <button type="button" class="button quiet" onClick={() => show({ at: "" })}>
            Show now
          </button>
        )}
      </div>
      {error !== null && <Fault error={error} />}
      {data === null && error === null && <Loading />}
      {data !== null && <Used message={data} />}
      {data?.text === null && (
        <Empty title="The model is shown nothing">
          {data.entries === 0 ? "The memory is empty." : "Not even a count of the entries fits into the limit."}
        </Empty>
      )}
      {data !== null && data.text !== null && (
        <div class="message-text" tabIndex={0} role="region" aria-label="The message">
          <Lines text={data.text} />
        </div>
      )}
    </div>
  );
}

function Used({
  message: { usedChars, maxChars, content, view, entries, isMore, leftOut, isMoreLeftOut, scope },
}: {
  message: WireMessage;
}): VNode {
  const facts = [
    `${moreThan(isMore)}${countText(entries, "entry")}, ${leftOut === 0 ? "none left out" : `${moreThan(isMoreLeftOut)}${numberText(leftOut)} left out`}`,
    ...(view !== null && view !== content ? [`${content} does not fit, so the ${view} is shown`] : []),
    ...(scope === "global" ? ["of the shared memory"] : []),
  ];
  return (
    <div class="used">
      <label>
        {numberText(usedChars)} of {numberText(maxChars)} characters
        <meter min={0} max={maxChars} value={usedChars} high={maxChars * 0.9} />
      </label>
      <span class="muted">{facts.join(" · ")}</span>
    </div>
  );
}

function MaxChars({ value, choose }: { value: number; choose: (value: number) => void }): VNode {
  const [text, setText] = useState<string | null>(null);
  const commit = (): void => {
    const given = Number(text);
    if (text !== null && Number.isInteger(given) && given >= 1 && given <= 200_000) choose(given);
    setText(null);
  };
  return (
    <label class="inline-field">
      maxChars
      <input
        type="number"
        min={1}
        max={200_000}
        value={text ?? String(value)}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === "Enter" && commit()}
      />
    </label>
  );
}

function moreThan(isMore: boolean): string {
  return isMore ? "more than " : "";
}
