import type { VNode } from "preact";
import type { Answers } from "../answers.js";
import { useMemoryData } from "./data/memory.js";
import { useIsOwner } from "./data/session.js";
import { countText, numberText } from "./parts/format.js";
import { Lines } from "./parts/lines.js";
import { Empty, Pending } from "./parts/parts.js";

/** Shows the message that the connector of the node would send to a model about this memory. */
export function MessageView(): VNode {
  const isOwner = useIsOwner();
  const { data, error } = useMemoryData("message", {});
  return (
    <div class="message">
      <div class="tools">
        {data !== null && !isOwner && (
          <span class="muted">
            {data.isOfConnector
              ? "The connector of this node"
              : "The page knows no connector of this memory: these are the defaults"}
          </span>
        )}
      </div>
      {data === null ? <Pending error={error} /> : <Message message={data} />}
    </div>
  );
}

function Message({ message }: { message: Answers["message"] }): VNode {
  const { text } = message;
  return (
    <>
      <Used message={message} />
      {text === null ? (
        <Empty title="Nothing is shown">Not even a count of the entries fits into the limit.</Empty>
      ) : (
        <div class="message-text" tabIndex={0} role="region" aria-label="The message">
          <Lines text={text} />
        </div>
      )}
    </>
  );
}

/** Most models take about four characters of English for a token. Only the model's own tokenizer knows the number. */
const charsPerToken = 4;

/** Says how much of its limit the message takes. */
function Used({ message }: { message: Answers["message"] }): VNode {
  const isOwner = useIsOwner();
  const { usedChars, maxChars, entries, leftOut, scope } = message;
  const omitted = leftOut === 0 ? "none" : countText(leftOut, "line");
  const tokens = numberText(Math.ceil(usedChars / charsPerToken));
  const facts = [
    `${countText(entries, "entry")}, ${omitted} left out`,
    ...(scope === "global" ? ["of the shared memory"] : []),
  ];
  return (
    <div class="used">
      <label>
        {numberText(usedChars)} of {numberText(maxChars)} characters
        {!isOwner && `, about ${tokens} tokens, estimated at ${charsPerToken} characters each`}
        <meter min={0} max={maxChars} value={usedChars} high={maxChars * 0.9} />
      </label>
      <span class="muted">{facts.join(" · ")}</span>
    </div>
  );
}
