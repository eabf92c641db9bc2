import { parse } from "yaml";
import type { FileText } from "../../src/core/tree/snapshot.js";

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;
const actor = /^(?:human:.+|process:.+|[^/]+\/.+)$/s;
const listEntry = /^\* \[(?:[^\\[\]]|\\.)+\]\(([^()\s]+)\)(?: - .+)?$/;

/** Returns what is wrong with a bundle by the words of OKF 0.2 (SPEC.md). The numbers are those of its sections. */
export function findOkfFaults(files: readonly FileText[]): string[] {
  const paths = new Set(files.map(({ path }) => path));
  return files.flatMap(({ path, content }) => {
    if (!path.endsWith(".md")) return [];
    const faults = path.endsWith("/index.md")
      ? checkIndex(path, content, paths)
      : path.endsWith("/log.md")
        ? checkLog(content)
        : checkConcept(content);
    return faults.map((fault) => `${path}: ${fault}`);
  });
}

/** 11, rules 1 and 2, and for fields that are there 5 and 7. */
function checkConcept(content: string): string[] {
  const [block, yaml = ""] = /^---\r?\n([^]*?)^---(?:\r?\n|$)/m.exec(content) ?? [];
  if (block === undefined || !content.startsWith(block)) return ["11.1: no front matter"];
  let fields: unknown;
  try {
    fields = parse(yaml);
  } catch (error) {
    return [`11.1: ${String(error)}`];
  }
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return ["11.1: no mapping"];
  const { type, generated, verified, sources, status } = fields as Record<string, unknown>;
  const events = [...[generated ?? []].flat(), ...[verified ?? []].flat()] as { by?: unknown; at?: unknown }[];
  return [
    ...(typeof type === "string" && type.trim() !== "" ? [] : ["11.2: no type"]),
    ...events.filter(({ by }) => typeof by !== "string" || !actor.test(by)).map(() => "7: an actor"),
    ...events.filter(({ at }) => typeof at !== "string" || !instant.test(at)).map(() => "5: a time"),
    ...([sources ?? []].flat() as { resource?: unknown }[])
      .filter(({ resource }) => typeof resource !== "string")
      .map(() => "5.1: a source without resource"),
    ...(status === undefined || ["draft", "stable", "deprecated"].some((each) => each === status)
      ? []
      : ["5.4: a status"]),
  ];
}

/** 8, and 12 for the root. */
function checkIndex(path: string, content: string, paths: ReadonlySet<string>): string[] {
  const version = '---\nokf_version: "0.2"\n---\n';
  const body = path === "/index.md" && content.startsWith(version) ? content.slice(version.length) : content;
  const directory = path.slice(0, -"index.md".length);
  return body.split("\n").flatMap((line) => {
    if (line === "" || line.startsWith("# ")) return [];
    const [, url] = listEntry.exec(line) ?? [];
    if (url === undefined) return [`8: the line ${line}`];
    const target = directory + decodeURIComponent(url);
    return paths.has(target.endsWith("/") ? `${target}index.md` : target) ? [] : [`8: a link to ${target}`];
  });
}

/** 9. */
function checkLog(content: string): string[] {
  const [heading = "", ...lines] = content.split("\n").filter((line) => line !== "");
  const days = lines.filter((line) => line.startsWith("#"));
  const badDays = days.filter((day) => !/^## \d{4}-\d{2}-\d{2}$/.test(day));
  return [
    ...(heading.startsWith("# ") ? [] : ["9: no heading"]),
    ...badDays.map((day) => `9: the heading ${day}`),
    ...(days.join() === days.toSorted().toReversed().join() ? [] : ["9: not newest first"]),
    ...lines.filter((line) => !/^(?:## |[*-] )/.test(line)).map((line) => `9: the line ${line}`),
  ];
}
