import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../answers.js";
import { useMemory, useMemoryData } from "./data/memory.js";
import { useIsOwner } from "./data/session.js";
import { countText, numberText } from "../../core/display/count-text.js";
import { Lines } from "./parts/lines.js";
import { Empty, Pending } from "./parts/parts.js";
import { useSettled } from "./parts/search-field.js";
import { Name } from "./parts/shown.js";

/** Shows the message that the connector of the node would send to a model about this memory, also for a question. */
export function MessageView(): VNode {
  const isOwner = useIsOwner();
  const [question, setQuestion] = useState("");
  const settled = useSettled(question, "");
  const { data, error } = useMemoryData("message", settled === "" ? {} : { question: settled });
  return (
    <div class="message">
      <div class="tools">
        <input
          type="search"
          placeholder="A question to the model"
          aria-label="A question to the model"
          value={question}
          maxLength={10_000}
          onInput={(event) => setQuestion(event.currentTarget.value)}
        />
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
  const { text, explanation } = message;
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
      {explanation !== null && <Explanation explanation={explanation} />}
    </>
  );
}

type Explained = NonNullable<Answers["message"]["explanation"]>;

/** Says which passages the message has for the question, and why it does not have the rest. */
function Explanation({ explanation: { shown, leftOut } }: { explanation: Explained }): VNode {
  const { href } = useMemory();
  const isOwner = useIsOwner();
  return (
    <div class="results explanation" tabIndex={0} role="region" aria-label="What is shown, and what is not">
      <h2>Shown</h2>
      <ul>
        {shown.map(({ path, startLine, endLine, score }) => (
          <li key={`${path}:${startLine}`}>
            <a class="found-file" href={href({ path, line: String(startLine) })}>
              <Name text={`${path}:${startLine}${endLine === startLine ? "" : `-${endLine}`}`} />
            </a>{" "}
            {score !== null && <span class="muted">score {score.toFixed(2)}</span>}
          </li>
        ))}
      </ul>
      <h2>Left out</h2>
      <ul>
        {leftOut.map(({ path, reason, message }) => (
          <li key={`${reason} ${path ?? ""}`}>
            {path !== undefined && (
              <a class="found-file" href={href({ path })}>
                <Name text={path} />
              </a>
            )}{" "}
            <Name text={message} />
            {!isOwner && <span class="muted"> {reason}</span>}
          </li>
        ))}
      </ul>
    </div>
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
