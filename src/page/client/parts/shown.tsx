import type { ComponentChildren, VNode } from "preact";
import { hidden, ordinary } from "../../../core/display/hidden-characters.js";

const harmful = new RegExp(`(?:(?!${ordinary})[${hidden}])+`, "gu");

/** Shows a text from others with its hidden characters visible. Omits the `\r` of a Windows line end. */
export function Shown({ text }: { text: string }): VNode {
  return <>{splitHidden(text.endsWith("\r") ? text.slice(0, -1) : text)}</>;
}

function splitHidden(text: string): ComponentChildren {
  if (text.search(harmful) === -1) return text;
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: run, index } of text.matchAll(harmful)) {
    parts.push(text.slice(end, index), <span class="hidden-char">{nameRun(run)}</span>);
    end = index + run.length;
  }
  return [...parts, text.slice(end)];
}

/** Names the first character of a run, and counts the others: `U+200B +2`. */
function nameRun(run: string): string {
  const [first = "", ...others] = run;
  const name = `U+${(first.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return others.length === 0 ? name : `${name} +${others.length}`;
}

/** Shows a path or an id, isolated from the text around it. */
export function Name({ text, class: name = "" }: { text: string; class?: string }): VNode {
  return (
    <bdi class={name} dir="auto">
      <Shown text={text.replaceAll("\n", "␤").replaceAll("\t", "␉")} />
    </bdi>
  );
}
