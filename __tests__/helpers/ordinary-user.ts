import { chmodSync, chownSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

export const isRoot = process.getuid?.() === 0;

const nobody = 65534;

/** Runs a test as a user who is bound by file permissions and owns the folder. Any user except root already is one. */
export async function asOrdinaryUser(dir: string, run: () => Promise<void>): Promise<void> {
  if (!isRoot) return run();
  chmodSync(dirname(dir), 0o711);
  chownSync(dir, nobody, nobody);
  for (const name of readdirSync(dir, { recursive: true })) chownSync(join(dir, String(name)), nobody, nobody);
  process.setegid?.(nobody);
  process.seteuid?.(nobody);
  try {
    await run();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
