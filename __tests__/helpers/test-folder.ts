import { afterAll } from "@jest/globals";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openDirectoryMemory } from "../../src/backends/directory/index.js";
import type { CheckedAddress } from "../../src/custom-backend/index.js";
import type { MemoryAddress, Memory, MemoryOptions } from "../../src/index.js";
import { checkAddress, getOwner } from "../../src/core/values/address.js";

/** Creates a folder for the tests of a file, and removes it after them. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "memory-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a folder with these contents, without a memory: texts or bytes by path, `null` for a directory. */
export function folderWith(parent: string, contents: Record<string, string | Uint8Array | null> = {}): string {
  const dir = mkdtempSync(join(parent, "m-"));
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(join(dir, content === null ? path : dirname(path)), { recursive: true });
    if (content !== null) writeFileSync(join(dir, path), content);
  }
  return dir;
}

/**
 * Opens a memory in a separate folder for each address. The folder's name is a hash, because file systems allow few
 * names.
 */
export function openInFolder(folder: string, address: MemoryAddress, options?: MemoryOptions): Memory {
  return openDirectoryMemory({ ...options, dir: join(folder, folderNameOf(checkAddress(address))) });
}

function folderNameOf(address: CheckedAddress): string {
  return createHash("sha256")
    .update(JSON.stringify([address.nodeId, address.scope, getOwner(address)]))
    .digest("hex");
}
