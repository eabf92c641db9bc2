import { errorOnPath } from "../values/error-paths.js";
import type { MemoryError } from "../values/errors.js";
import { preview, shorten } from "../values/text.js";
import type { PlannedChange } from "../contract/change-record.js";
import type { ReviewRequest } from "../access/approval-requester.js";
import { isRecord } from "../values/unknown-values.js";

/** `edit`: approved with another content. */
export type ReviewDecision = { type: "approve" } | { type: "edit"; content: string };

/** Creates the request that a person is shown. Its arguments are those of the change, not of the tool. */
export function createReviewRequest(
  planned: PlannedChange,
  toolName: string,
  showPath: (path: string) => string,
): ReviewRequest {
  const { command, path, to, content, oldContent, diff } = planned;
  const args = {
    command,
    path: showPath(path),
    ...(to !== null && { to: showPath(to) }),
    ...(oldContent !== null && { oldContent }),
    ...(content !== null && { content }),
  };
  const description = `A change of the memory needs approval: ${command} ${showPath(path)}\n\n${diff}`;
  return {
    actionRequests: [{ name: toolName, args, description }],
    reviewConfigs: [{ actionName: toolName, allowedDecisions: ["approve", "edit", "reject"] }],
  };
}

/** The longest reason for a rejection. */
export const maxReasonChars = 2000;

/**
 * @param path of the change in the memory
 * @throws MemoryError EACCES for a rejection, and for an answer that does not decide about this change
 */
export function parseDecision(
  answer: unknown,
  { actionRequests: [action] }: ReviewRequest,
  path: string,
): ReviewDecision {
  const decisions = isRecord(answer) ? answer["decisions"] : undefined;
  const decision: unknown = Array.isArray(decisions) && decisions.length === 1 ? decisions[0] : undefined;
  if (!isRecord(decision)) throw refusal(path, "the answer is not { decisions: [one decision] }");
  const { type, message, editedAction } = decision;
  if (type === "approve") return { type };
  if (type === "reject") {
    const reason = typeof message === "string" && message !== "" ? `: ${shorten(message, maxReasonChars)}` : "";
    throw errorOnPath("EACCES", path, `was not changed: a person rejected it${reason}`);
  }
  if (type === "edit") return parseEdit(editedAction, action, path);
  throw refusal(path, `${preview(type)} is not a decision`);
}

function parseEdit(edited: unknown, { name, args }: ReviewRequest["actionRequests"][0], path: string): ReviewDecision {
  const { content, ...fixed } = args;
  if (!isRecord(edited) || edited["name"] !== name || !isRecord(edited["args"]))
    throw refusal(path, `an edited action is { name: "${name}", args }`);
  const { content: newContent = content, ...others } = edited["args"];
  const changed = Object.keys(others).find((key) => others[key] !== fixed[key]);
  if (changed !== undefined)
    throw refusal(path, `an edited action may change the content only, not ${preview(changed)}`);
  if (newContent === content) return { type: "approve" };
  if (content === undefined || typeof newContent !== "string")
    throw refusal(path, "the content of an edited action must be a text, where there is one");
  return { type: "edit", content: newContent };
}

function refusal(path: string, reason: string): MemoryError {
  return errorOnPath("EACCES", path, `was not changed, because it was not approved: ${reason}`);
}
