import { execFile } from "node:child_process";
import { promisify } from "node:util";

export type Environment = Record<string, string | undefined>;

/** The environment of this process without keys and addresses, and with a quiet npm. */
export function environmentWith(env: Environment): Environment {
  const {
    OPENAI_API_KEY: _key,
    ANTHROPIC_API_KEY: _other,
    MONGODB_URI: _uri,
    NODE_OPTIONS: _options,
    ...rest
  } = process.env;
  const quiet = { npm_config_audit: "false", npm_config_fund: "false", npm_config_prefer_offline: "true" };
  return { ...rest, ...quiet, ...env };
}

/** @returns what the command printed */
export async function run(folder: string, command: string, env: Environment = {}): Promise<string> {
  const options = { cwd: folder, env: environmentWith(env), maxBuffer: 10_000_000 };
  const { stdout } = await promisify(execFile)("sh", ["-c", command], options).catch((error: unknown) => {
    const { stdout: output, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${folder}: ${command} failed:\n${output}${stderr}`, { cause: error });
  });
  return stdout;
}
