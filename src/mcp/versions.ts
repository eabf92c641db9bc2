import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { keepsNoHistory, type MemoryHistory, type MemoryVersion } from "../core/history/history.js";
import type { Memory } from "../core/memory.js";
import { normalizePath } from "../core/values/paths.js";
import { inProtocol, getMimeType, parseUriPart } from "./resources.js";

const listScheme = "memory-versions://";
const textScheme = "memory-version://";

/** The most versions that are listed, newest first. The command line shows the rest of a long history. */
const maxListed = 200;

/** The parts of a history that clients can read. Only people and programs can change it, by `revert` and `redact`. */
export const versionTemplates: readonly ResourceTemplateType[] = [
  {
    name: "versions",
    title: "Versions of a file of the memory",
    uriTemplate: `${listScheme}/{+path}`,
    description:
      `The newest ${maxListed} versions of a file or directory by its path, each segment ` +
      "percent-encoded, as JSON. Each has the uri of its text.",
    mimeType: "application/json",
  },
  {
    name: "version",
    title: "Version of a file of the memory",
    uriTemplate: `${textScheme}/{id}`,
    description: "The text of a version by its id.",
  },
];

/** Returns the templates for a memory: none if it has no history. */
export function getVersionTemplates({ history }: Memory): readonly ResourceTemplateType[] {
  return history === null ? [] : versionTemplates;
}

/** Returns `memory-version:///12` for the version 12. */
export function toVersionUri(id: string): string {
  return `${textScheme}/${encodeURIComponent(id)}`;
}

/** Returns null for another kind of URI. @throws ProtocolError */
export async function readVersions({ history }: Memory, uri: string): Promise<ReadResourceResult | null> {
  const isList = uri.startsWith(`${listScheme}/`);
  if (!isList && !uri.startsWith(`${textScheme}/`)) return null;
  if (history === null) throw new ResourceNotFoundError(uri, `the memory ${keepsNoHistory}`);
  return { contents: [isList ? await readList(history, uri) : await readText(history, uri)] };
}

async function readList(history: MemoryHistory, uri: string): Promise<{ uri: string; mimeType: string; text: string }> {
  const path = parseUriPart(uri, listScheme, (given) => normalizePath(given, { emptyIsRoot: true }));
  if (path === null) throw invalidUri("the versions of a file are memory-versions:/// and its path, percent-encoded");
  const versions: object[] = [];
  await inProtocol(uri, async () => {
    for await (const version of history.list({ path, limit: maxListed })) versions.push(describe(version));
  });
  return { uri, mimeType: "application/json", text: JSON.stringify({ path, versions }) };
}

async function readText(history: MemoryHistory, uri: string): Promise<{ uri: string; mimeType: string; text: string }> {
  const id = parseUriPart(uri, textScheme, (given) => given.slice(1));
  if (id === null) throw invalidUri("a version is memory-version:/// and its id, percent-encoded");
  const { content, path, operation } = await inProtocol(uri, () => history.read(id));
  if (content === null)
    throw new ResourceNotFoundError(
      uri,
      operation === "deleted" ? `version ${id} deleted the file` : `version ${id} is redacted`,
    );
  return { uri, mimeType: getMimeType(path), text: content };
}

/** Leaves out the ids of users, threads and runs, because a shared memory would show each client who the others are. */
function describe({ id, path, from, operation, at, actor, sizeBytes, redactedAt, ...origin }: MemoryVersion): object {
  const { agent, client, node } = actor ?? {};
  return {
    id,
    uri: toVersionUri(id),
    path,
    from,
    operation,
    at,
    actor: { agent, client, node },
    sizeBytes,
    sources: origin.sources,
    trust: origin.trust,
    redactedAt,
  };
}

function invalidUri(advice: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `invalid uri: ${advice}`);
}
