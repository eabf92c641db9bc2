import { isLogMark, logRoles } from "../core/search/log-lines.js";

/** The start of what a run said. */
interface LogHeading {
  time: string;
}

interface LogMessage {
  role: string;
  /** Empty if the message has no name. */
  name: string;
  text: string;
}

export type LogRow = LogHeading | LogMessage;

export function isByUser({ role }: LogMessage): boolean {
  return role === logRoles.user;
}

const heading = /^## (\d\d:\d\d)$/;
const speaker = new RegExp(`^(${Object.values(logRoles).join("|")})(?: ([^:]{0,100}))?: (.*)$`, "s");

/** The log cuts earlier. A browser lays out a whole text at once. */
const maxTextChars = 100_000;

/**
 * Reads a file of the log: its messages, each with all of its lines. Returns null if a line has another form, for
 * example because a person has changed it: a text that nobody said must not look like a message.
 */
export function parseLogDay(text: string): LogRow[] | null {
  const rows: LogRow[] = [];
  let open: LogMessage | null = null;
  for (const line of text.split(/\r?\n/)) {
    const [, time] = heading.exec(line) ?? [];
    const [, role, name = "", said = ""] = speaker.exec(line) ?? [];
    if (isLogMark(line)) open = null;
    else if (line === "") open = addLine(open, "");
    else if (open !== null && role === open.role && name === "") open = addLine(open, said);
    else if (open === null && role !== undefined && rows.length > 0) rows.push((open = { role, name, text: said }));
    else if (open === null && time !== undefined) rows.push({ time });
    else return null;
  }
  const isTooLong = rows.some((row) => "text" in row && row.text.length > maxTextChars);
  return rows.length === 0 || isTooLong ? null : rows;
}

function addLine(message: LogMessage | null, line: string): LogMessage | null {
  if (message !== null) message.text += `\n${line}`;
  return message;
}
