import { normalizedPoints } from "../core/mounts/mounts.js";
import { ROOT } from "../core/values/paths.js";
import { fieldFaults, given, isRecord, quote } from "./field-faults.js";
import { mountTemplateFields } from "./fields.js";

/** The faults of the mounts of a memory. */
export function mountFaults(at: string, config: Record<string, unknown>): string[] {
  const { mounts } = config;
  if (mounts === undefined) return [];
  try {
    const points = new Map(normalizedPoints("data.config.mounts", mounts));
    return [...points].flatMap(([point, mount]) => faultsOf(at, point, mount));
  } catch (error) {
    return [`${at}: ${(error as Error).message}`];
  }
}

export function mountsOf({ mounts }: Record<string, unknown>): [point: string, mount: unknown][] {
  return isRecord(mounts) ? Object.entries(mounts) : [];
}

export function mountPath(point: string): string {
  return `data.config.mounts[${quote(point)}]`;
}

function faultsOf(at: string, point: string, mount: unknown): string[] {
  const path = mountPath(point);
  if (!isRecord(mount))
    return [`${at}: ${path} must be an object { nodeId, scope, access, description, maxChars } (${given(mount)})`];
  const { nodeId, scope } = mount;
  const isOwn = point === ROOT && (nodeId !== undefined || scope !== undefined);
  return [
    ...fieldFaults(at, `${path}.`, mount, mountTemplateFields),
    ...(isOwn
      ? [`${at}: ${path} is the memory of the node itself, so its nodeId and scope belong in data.config`]
      : []),
    ...(point !== ROOT && nodeId === undefined
      ? [`${at}: ${path}.nodeId must be what the memory is called in the store (missing)`]
      : []),
  ];
}
