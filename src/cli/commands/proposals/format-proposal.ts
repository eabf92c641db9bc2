import type { MemoryProposal } from "../../../core/approval/memory-proposals.js";
import type { MemoryHistory } from "../../../core/history/history.js";
import { isPaged } from "../../../core/backend-history.js";
import { catchRefusal } from "../../../core/values/errors.js";
import { takeStart } from "../../../core/values/text.js";
import { readVersion } from "../../../learn/sources.js";
import type { Output } from "../../terminal/output.js";
import { formatActor, formatOrigin, styleDiff } from "../history/format.js";

/** Formats a proposal as a line, and as a second one what it rests on. */
export function formatProposal(
  proposal: Omit<MemoryProposal, "content" | "oldContent" | "diff" | "proposed" | "base">,
  out: Output,
): string {
  const { id, status, at, command, path, to, origin, actor, decidedBy, reason } = proposal;
  const [from, target] = [path, to].map((each) => (each === "" ? "(redacted)" : each));
  const change = `${command.padEnd(6)}  ${target === null ? from : `${from} -> ${target}`}`;
  const decision = decidedBy === null ? status : `${status} by ${formatActor(decidedBy)}`;
  const facts = `${formatActor(actor)}; ${decision}${reason === null ? "" : `: ${reason}`}`;
  const line =
    `${out.style("yellow", id)}  ${at.toISOString()}  ${out.foreign(change)} ` +
    ` ${out.style("dim", out.foreign(facts))}`;
  // The reason is "" if it is redacted.
  if (!origin?.reason && !origin?.sources) return line;
  const model = origin.model ? `, by ${origin.model}` : "";
  const basis = origin.sources ? `${formatOrigin(origin)}${model}: ` : "";
  const why = `  ${basis}${origin.reason}`.replaceAll("\n", "; ");
  return `${line}\n${out.foreign(why)}`;
}

const redacted = "The text of this proposal was redacted.\n";

/** Formats a proposal with its diff, and with the notes that it rests on. */
export async function formatWhole(
  proposal: MemoryProposal,
  history: MemoryHistory | null,
  out: Output,
): Promise<string> {
  const { diff, proposed, base } = proposal;
  const original = proposed === undefined ? "" : `\nWhat the agent proposed:\n\n${styleDiff(proposed.diff, out)}`;
  const notes = await Promise.all((proposal.origin?.sources ?? []).map((source) => formatNote(source, history, out)));
  const shown = `${formatProposal(proposal, out)}\n\n${base === "" ? redacted : styleDiff(diff, out)}`;
  return `${shown}${original}${notes.join("")}`;
}

const maxNoteChars = 2000;

/** Formats what a version added. "" for a message, of which only the id is known. */
async function formatNote(source: string, history: MemoryHistory | null, out: Output): Promise<string> {
  const [kind, id = ""] = source.split(/:(.*)/s);
  if (kind !== "version" || history === null || !isPaged(history)) return "";
  const note = await catchRefusal(history.readChange(id).then(readVersion));
  if (note === null) return `\n${out.foreign(source)}: redacted, or no longer kept\n`;
  const text = `${source}, ${note.place}:\n${takeStart(note.text, maxNoteChars)}`;
  return `\n${out.foreign(text).replaceAll("\n", "\n| ")}\n`;
}
