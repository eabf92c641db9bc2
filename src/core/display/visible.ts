/**
 * Characters that a terminal may treat as commands: control characters (including ESC, DEL and C1) except line ends and
 * tabs, a carriage return that would overwrite a line, and marks that change the direction of writing.
 */
const commanding = /(?![\n\t]|\r\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces characters that a terminal may treat as commands by escapes: `\x1b[2J`. */
export function visible(text: string): string {
  return text.replaceAll(commanding, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
  });
}

/** Replaces the same characters in JSON by JSON escapes. `JSON.stringify` alone would not escape DEL and C1. */
export function visibleJson(json: string): string {
  return json.replaceAll(commanding, (character) => `\\u${hex(character.charCodeAt(0), 4)}`);
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
