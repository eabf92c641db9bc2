import { runCommand } from "../../run-command.js";

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
  return (await runCommand("sh", ["-c", command], { cwd: folder, env: environmentWith(env) })).stdout;
}
