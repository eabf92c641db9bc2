import type { MemoryProposal } from "../../../core/approval/memory-proposals.js";
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

/** Formats a proposal with its diff. */
export function formatWhole(proposal: MemoryProposal, out: Output): string {
  const { diff, proposed, base } = proposal;
  const original = proposed === undefined ? "" : `\nWhat the agent proposed:\n\n${styleDiff(proposed.diff, out)}`;
  return `${formatProposal(proposal, out)}\n\n${base === "" ? redacted : styleDiff(diff, out)}${original}`;
}
