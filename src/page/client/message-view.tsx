import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../answers.js";
import { useMemory, useMemoryData } from "./data/memory.js";
import { type Query, replace } from "./data/route.js";
import { countText, numberText } from "./parts/format.js";
import { Lines } from "./parts/lines.js";
import { Choice, Empty, Pending } from "./parts/parts.js";

const contents = [
  ["tree", "Tree"],
  ["index", "Index"],
  ["full", "Full"],
] as const;

const maxMaxChars = 200_000;

/** Shows the message that a connector would send to a model about this memory. */
export function MessageView(): VNode {
  const { query, href } = useMemory();
  const { content, maxChars, at } = query;
  const options: Query = {
    ...(content !== undefined && { content }),
    ...(maxChars !== undefined && { maxChars }),
    ...(at !== undefined && { at }),
  };
  const { data, error } = useMemoryData("message", options, at);
  const show = (change: Query): void => replace(href({ ...query, ...change }));
  const shownContent = data?.content ?? contents.find(([name]) => name === content)?.[0] ?? "tree";
  return (
    <div class="message">
      <div class="tools">
        <Choice
          label="What the connector shows"
          value={shownContent}
          options={contents}
          choose={(value) => show({ content: value })}
        />
        <MaxChars value={data?.maxChars ?? 0} choose={(value) => show({ maxChars: String(value) })} />
        {data !== null && (
          <Origin message={data} isChosen={content !== undefined || maxChars !== undefined} show={show} />
        )}
        <span class="muted">{at === undefined ? "as it is now" : `as it was right after version ${at}`}</span>
        {at !== undefined && (
          <button type="button" class="button quiet" onClick={() => show({ at: "" })}>
            Show now
          </button>
        )}
      </div>
      {data === null ? <Pending error={error} /> : <Message message={data} />}
    </div>
  );
}

interface OriginProps {
  message: Answers["message"];
  /** Whether a person has chosen the form. */
  isChosen: boolean;
  show: (change: Query) => void;
}

/** Says whether the message is that of a connector of the application. */
function Origin({ message: { connector, content, maxChars }, isChosen, show }: OriginProps): VNode {
  const usual = connector === null ? "The defaults" : "The connector of this node";
  if (!isChosen) {
    const words = connector === null ? "The page knows no connector of this memory: these are the defaults" : usual;
    return <span class="muted">{words}</span>;
  }
  if (connector?.content === content && connector.maxChars === maxChars) return <span class="muted">{usual}</span>;
  return (
    <button type="button" class="button quiet" onClick={() => show({ content: "", maxChars: "" })}>
      {usual}
    </button>
  );
}

function Message({ message }: { message: Answers["message"] }): VNode {
  const { text, entries } = message;
  return (
    <>
      <Used message={message} />
      {text === null ? (
        <Empty title="The model is shown nothing">
          {entries === 0 ? "The memory is empty." : "Not even a count of the entries fits into the limit."}
        </Empty>
      ) : (
        <div class="message-text" tabIndex={0} role="region" aria-label="The message">
          <Lines text={text} />
        </div>
      )}
    </>
  );
}

function Used({ message }: { message: Answers["message"] }): VNode {
  const { usedChars, maxChars, content, view, entries, leftOut, scope } = message;
  const omitted = leftOut === 0 ? "none" : numberText(leftOut);
  const facts = [
    `${countText(entries, "entry")}, ${omitted} left out`,
    ...(view !== null && view !== content ? [`${content} does not fit, so the ${view} is shown`] : []),
    ...(scope === "global" ? ["of the shared memory"] : []),
  ];
  return (
    <div class="used">
      <label>
        {budgetText(usedChars, maxChars)}
        <meter min={0} max={maxChars} value={usedChars} high={maxChars * 0.9} />
      </label>
      <span class="muted">{facts.join(" · ")}</span>
    </div>
  );
}

/** Most models take about four characters of English for a token. */
const charsPerToken = 4;

/** Says how much of its limit a message takes. Only the model's own tokenizer knows the exact number of tokens. */
export function budgetText(usedChars: number, maxChars: number): string {
  const tokens = numberText(Math.ceil(usedChars / charsPerToken));
  const used = `${numberText(usedChars)} of ${numberText(maxChars)} characters`;
  return `${used}, about ${tokens} tokens, estimated at ${charsPerToken} characters each`;
}

function MaxChars({ value, choose }: { value: number; choose: (value: number) => void }): VNode {
  const [text, setText] = useState<string | null>(null);
  const commit = (): void => {
    const given = Number(text);
    if (text !== null && Number.isInteger(given) && given >= 1 && given <= maxMaxChars) choose(given);
    setText(null);
  };
  return (
    <label class="inline-field">
      Characters at most
      <input
        type="number"
        min={1}
        max={maxMaxChars}
        value={text ?? String(value)}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === "Enter" && commit()}
      />
    </label>
  );
}
