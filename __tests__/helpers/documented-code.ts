import { readFileSync } from "node:fs";
import { compileFunction } from "node:vm";

const sources: Record<string, string> = {
  "langgraph-mongo-memory": "../../src/index.js",
  "langgraph-mongo-memory/learn": "../../src/learn/index.js",
  "langgraph-mongo-memory/middleware": "../../src/middleware/index.js",
};

/**
 * Returns the first code block below a heading of a page. A block in JavaScript is one with middleware of LangChain, whose
 * types do not fit together under the strict settings with which the other blocks are compiled.
 */
export function readCode(file: string, heading: string): string {
  const code = `\n${readFileSync(file, "utf8")}`.split(`\n${heading}\n`)[1]?.match(/```[jt]s\n([^]*?)```/)?.[1];
  if (code === undefined) throw new Error(`${file} has no code below ${heading}`);
  return code;
}

/**
 * Runs code of the documentation as it is written, with this package's sources.
 * @param uri replaces the documented address of the server
 * @param values replace imports and globals
 */
export async function runDocumented(code: string, uri: string, values: Record<string, unknown> = {}): Promise<void> {
  const names: Record<string, unknown> = {};
  for (const [, imported = "", from = ""] of code.matchAll(/^import \{([^}]*)\} from "(.*)";$/gm)) {
    const loaded = (await import(sources[from] ?? from)) as Record<string, unknown>;
    for (const name of imported.match(/\w+/g) ?? []) names[name] = loaded[name];
  }
  Object.assign(names, values);
  const body = code.replaceAll(/^import [^;]*;$/gm, "").replace("mongodb://localhost:27017/app", uri);
  const run = compileFunction(`return (async () => {${body}\nawait store.stop();})()`, Object.keys(names));
  await (run(...Object.values(names)) as Promise<void>);
}
