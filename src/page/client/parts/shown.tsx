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

/** Names the first character, `U+202E`, and the number of further ones, because a text may consist of nothing else. */
function nameRun(run: string): string {
  const characters = Array.from(
    run.slice(0, 8),
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
  const [first = ""] = characters;
  if (run.length === 1) return first;
  return characters.every((each) => each === first) ? `${first} ×${run.length}` : `${first} +${run.length - 1}`;
}

/** Shows a path or an id, isolated from the text around it. */
export function Name({ text, class: name = "" }: { text: string; class?: string }): VNode {
  return (
    <bdi class={name} dir="auto">
      <Shown text={text.replaceAll("\n", "␤").replaceAll("\t", "␉")} />
    </bdi>
  );
}
