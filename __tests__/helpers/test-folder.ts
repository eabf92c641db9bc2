import { afterAll } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openPatiently } from "./left-lock.js";
import { openDirectoryMemory } from "../../src/backends/directory/index.js";
import type { MemoryAddress, Memory, MemoryOptions } from "../../src/index.js";
import { checkAddress } from "../../src/core/values/address.js";
import { createNamespace } from "./addresses.js";
import { refuses } from "./memory-case.js";
import { hashSha256 } from "./sha256.js";

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

/** Opens the memory in a new folder with these contents, as a program opens it. */
export function memoryWith(
  parent: string,
  contents: Record<string, string | Uint8Array | null> = {},
): { dir: string; memory: Memory } {
  const dir = folderWith(parent, contents);
  return { dir, memory: openDirectoryMemory({ dir }) };
}

/**
 * Opens a memory in a separate folder for each address. The folder's name is a hash, because file systems allow few
 * names.
 */
export function openInFolder(folder: string, address: MemoryAddress, options?: MemoryOptions): Memory {
  return openPatiently({ ...options, dir: join(folder, getFolderName(address)) });
}

function getFolderName(address: MemoryAddress): string {
  return hashSha256(JSON.stringify(createNamespace(checkAddress(address))));
}

/** Expects that every command refuses a path with EINVAL. */
export async function allRefuse(memory: Memory, path: string, message?: string): Promise<void> {
  for (const call of [
    () => memory.read(path),
    () => memory.list(path),
    () => memory.stat(path),
    () => memory.append(path, "x"),
    () => memory.write(path, "x"),
    () => memory.edit(path, () => "x"),
    () => memory.update(path, "secret", "x"),
    () => memory.delete(path),
    () => memory.rename(path, "/moved"),
    () => memory.rename("/real", path),
  ]) {
    await refuses(call(), "EINVAL", message);
  }
}
