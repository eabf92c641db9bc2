import { MemoryError } from "../values/errors.js";
import { preview } from "../values/preview.js";
import { shorten } from "../values/text.js";
import type { PlannedChange } from "../contract/change-record.js";
import type { ReviewRequest } from "../access/asking.js";

/** `edit`: approved with another content. */
export type Decision = { type: "approve" } | { type: "edit"; content: string };

/**
 * What a person is shown. The arguments are those of the change, whichever tool it comes from. @param shown how a path
 * is shown
 */
export function requestOf(planned: PlannedChange, toolName: string, shown: (path: string) => string): ReviewRequest {
  const { command, path, to, content, oldContent, diff } = planned;
  const args = {
    command,
    path: shown(path),
    ...(to !== null && { to: shown(to) }),
    ...(oldContent !== null && { oldContent }),
    ...(content !== null && { content }),
  };
  const description = `A change of the memory needs approval: ${command} ${shown(path)}\n\n${diff}`;
  return {
    actionRequests: [{ name: toolName, args, description }],
    reviewConfigs: [{ actionName: toolName, allowedDecisions: ["approve", "edit", "reject"] }],
  };
}

/** Of the reason for a rejection. */
export const maxReasonChars = 2000;

/**
 * What a person has decided. @throws MemoryError EACCES for a rejection, and for what is no decision about this change
 */
export function decisionIn(answer: unknown, { actionRequests: [action] }: ReviewRequest): Decision {
  const { path = "" } = action.args;
  const decisions = isRecord(answer) ? answer["decisions"] : undefined;
  const decision: unknown = Array.isArray(decisions) && decisions.length === 1 ? decisions[0] : undefined;
  if (!isRecord(decision)) throw refused(path, "the answer is not { decisions: [one decision] }");
  const { type, message, editedAction } = decision;
  if (type === "approve") return { type };
  if (type === "reject") {
    const reason = typeof message === "string" && message !== "" ? `: ${shorten(message, maxReasonChars)}` : "";
    throw new MemoryError("EACCES", `EACCES: a person rejected the change of ${path}${reason}`);
  }
  if (type === "edit") return editIn(editedAction, action);
  throw refused(path, `${preview(type)} is no decision`);
}

function editIn(edited: unknown, { name, args }: ReviewRequest["actionRequests"][0]): Decision {
  const { path = "", content, ...fixed } = { ...args };
  if (!isRecord(edited) || edited["name"] !== name || !isRecord(edited["args"]))
    throw refused(path, `an edited action is { name: "${name}", args }`);
  const { content: newContent = content, ...others } = edited["args"];
  const changed = Object.keys(others).find(
    (key) => others[key] !== ({ ...fixed, path } as Record<string, unknown>)[key],
  );
  if (changed !== undefined)
    throw refused(path, `an edited action may change the content only, not ${preview(changed)}`);
  if (newContent === content) return { type: "approve" };
  if (content === undefined || typeof newContent !== "string")
    throw refused(path, "the content of an edited action must be a text, where there is one");
  return { type: "edit", content: newContent };
}

function refused(path: string, why: string): MemoryError {
  return new MemoryError("EACCES", `EACCES: the change of ${path} was not approved: ${why}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
