import { getField } from "../core/values/unknown-values.js";

/** Thrown if a package of the MCP SDK is not installed. */
export class MissingPackage extends Error {
  override readonly name = "MissingPackage";
  readonly packageName: string;

  constructor(packageName: string, cause: unknown) {
    super(`MCP needs the package ${packageName}, which is not installed: npm install ${packageName}`, { cause });
    this.packageName = packageName;
  }
}

/**
 * Returns an error that says what to install, if `error` is Node's error for a missing package of the SDK. Otherwise
 * returns undefined.
 */
export function missingPackage(error: unknown): MissingPackage | undefined {
  if (error instanceof MissingPackage) return error;
  const code = getField(error, "code");
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return undefined;
  const name = /'(@modelcontextprotocol\/[a-z-]+)/.exec(String(getField(error, "message")))?.[1];
  return name === undefined ? undefined : new MissingPackage(name, error);
}
