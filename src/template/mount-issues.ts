import { normalizeMountPoints } from "../core/mounts/mounts.js";
import { ROOT } from "../core/values/paths.js";
import { isRecord } from "../core/values/unknown-values.js";
import { fieldIssues, given, quote } from "./field-issues.js";
import { mountTemplateFields } from "./fields.js";

/** Returns the issues of a memory's mounts. */
export function mountIssues(at: string, { mounts }: Record<string, unknown>): string[] {
  if (mounts === undefined) return [];
  try {
    const points = normalizeMountPoints("data.config.mounts", mounts);
    return points.flatMap(([point, mount]) => findMountIssues(at, point, mount));
  } catch (error) {
    return [`${at}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

export function getMountPath(point: string): string {
  return `data.config.mounts[${quote(point)}]`;
}

function findMountIssues(at: string, point: string, mount: unknown): string[] {
  const path = getMountPath(point);
  if (!isRecord(mount))
    return [`${at}: ${path} must be an object { nodeId, scope, access, description, maxChars } (${given(mount)})`];
  const { nodeId, scope } = mount;
  const issues = fieldIssues(at, `${path}.`, mount, mountTemplateFields);
  if (point === ROOT && (nodeId !== undefined || scope !== undefined))
    issues.push(`${at}: ${path} is the memory of the node itself, so its nodeId and scope belong in data.config`);
  if (point !== ROOT && nodeId === undefined)
    issues.push(`${at}: ${path}.nodeId must be what the memory is called in the store (missing)`);
  return issues;
}
