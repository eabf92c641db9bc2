import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Reports each module that an import resolves. It writes to a file, because a pipe may lose output at exit. */
const hooks = `
  import { appendFileSync } from "node:fs";
  export async function resolve(specifier, context, next) {
    const resolved = await next(specifier, context);
    appendFileSync(process.env.LOADED_MODULES, resolved.url + "\\n");
    return resolved;
  }`;

/** Runs in the child before all other code. At the end it lists the modules that were required. */
const registerHooks = `
  import { appendFileSync } from "node:fs";
  import { createRequire, register } from "node:module";
  import { pathToFileURL } from "node:url";
  register(${JSON.stringify(dataUrl(hooks))});
  process.on("exit", () => {
    const required = Object.keys(createRequire(process.cwd() + "/x").cache);
    appendFileSync(process.env.LOADED_MODULES, required.map((path) => pathToFileURL(path).href + "\\n").join(""));
  });`;

/** Returns the URLs of all modules that a child process loads when it runs this code from the package's root. */
export async function loadedModules(inputType: "module" | "commonjs", code: string): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), "loaded-modules-"));
  try {
    const list = join(directory, "list");
    const args = ["--import", dataUrl(registerHooks), `--input-type=${inputType}`, "--eval", code];
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, LOADED_MODULES: list } });
    const urls = (await readFile(list, "utf8")).split("\n");
    return [...new Set(urls)].filter((url) => url !== "");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
