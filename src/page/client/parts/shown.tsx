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

/** Names the first character of a run, and counts the others: `U+200B ×3` if they are the same, else `U+200B +2`. */
function nameRun(run: string): string {
  const first = String.fromCodePoint(run.codePointAt(0) ?? 0);
  let count = 0;
  let areSame = true;
  for (const character of run) {
    count += 1;
    areSame &&= character === first;
  }
  const name = `U+${(run.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  if (count === 1) return name;
  return areSame ? `${name} ×${count}` : `${name} +${count - 1}`;
}

/** Shows a path or an id, isolated from the text around it. */
export function Name({ text, class: name = "" }: { text: string; class?: string }): VNode {
  return (
    <bdi class={name} dir="auto">
      <Shown text={text.replaceAll("\n", "␤").replaceAll("\t", "␉")} />
    </bdi>
  );
}
