/** The start of a part of the log of conversations. Each run adds one. */
interface LogHeading {
  time: string;
  /** Empty if the run had no thread. */
  thread: string;
}

interface LogMessage {
  role: string;
  /** Empty if the message has no name. */
  name: string;
  text: string;
}

export type LogRow = LogHeading | LogMessage;

const heading = /^## (\d\d:\d\d)(?: (.{1,100}))?$/s;
const speaker = /^(User|Assistant)(?: ([^:]{0,100}))?: (.*)$/s;
const marks = /^[~^][a-z]{8}(?: [a-z]{8})*$/;

/** The log cuts earlier. A browser lays out a whole text at once. */
const maxTextChars = 100_000;

/**
 * Reads a day of the log without its lines of marks. Returns null if a line has another form, for example because a
 * person has changed it: a text that nobody said must not look like a message.
 */
export function parseLogDay(text: string): LogRow[] | null {
  const rows: LogRow[] = [];
  for (const line of text.split(/\r?\n/)) {
    const last = rows.at(-1);
    const [, time, thread = ""] = heading.exec(line) ?? [];
    const [, role, name = "", start = ""] = speaker.exec(line) ?? [];
    if (time !== undefined) rows.push({ time, thread });
    else if (role !== undefined && last !== undefined) rows.push({ role, name, text: start });
    else if (line.startsWith("  ") && last !== undefined && "text" in last) last.text += `\n${line.slice(2)}`;
    else if (line !== "" && !marks.test(line)) return null;
  }
  const isTooLong = rows.some((row) => "text" in row && row.text.length > maxTextChars);
  return rows.length === 0 || isTooLong ? null : rows;
}
