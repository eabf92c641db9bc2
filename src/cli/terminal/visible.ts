/**
 * What a terminal may take for a command: control characters (ESC, DEL and C1 among them) but line ends and tabs, a
 * carriage return that would let a line be written over, and the marks that turn the direction of writing.
 */
const commanding = /(?![\n\t]|\r\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text with those characters as escapes: `\x1b[2J`. */
export function visible(text: string): string {
  return text.replaceAll(commanding, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
  });
}

/** JSON that means the same, with those characters as escapes of JSON, which leaves DEL and C1 as they are. */
export function visibleJson(json: string): string {
  return json.replaceAll(commanding, (character) => `\\u${hex(character.charCodeAt(0), 4)}`);
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
