import { rejects } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { MemoryAddress } from "../core/values/address.js";
import { MemoryError, type MemoryErrorCode } from "../core/values/errors.js";
import type { Memory } from "../core/memory.js";
import type { MemoryOptions } from "../core/memory-options.js";

/**
 * Opens the memory of an address. The same address must always give the same memory, and different addresses different
 * memories.
 */
export type OpenMemory = (address: MemoryAddress, options?: MemoryOptions) => Memory | Promise<Memory>;

/** Capabilities that a backend declares. Good backends differ in them. */
export interface MemoryCapabilities {
  /** Whether the `createdAt` of a file stays when the text changes. @default true */
  keepsCreatedAt: boolean;
  /**
   * Whether names that Windows refuses, such as `a:b` and `...`, can be created if the rule `posix` allows them.
   * @default true
   */
  createsAnyName: boolean;
}

export const memoryCapabilityDefaults: Readonly<MemoryCapabilities> = { keepsCreatedAt: true, createsAnyName: true };

export interface MemoryCase {
  title: string;
  run: (open: OpenMemory, declared: Readonly<MemoryCapabilities>) => Promise<void>;
}

/** Returns an address that no other test uses. */
export function freshAddress(): { nodeId: string } {
  return { nodeId: `node ${randomUUID()}` };
}

/** Opens a memory that no other test uses. */
export async function openFresh(open: OpenMemory, options?: MemoryOptions): Promise<Memory> {
  return open(freshAddress(), options);
}

/** Asserts a refusal with this code, and with the message if the specification has one. */
export async function refuses(call: Promise<unknown>, code: MemoryErrorCode, message?: string): Promise<void> {
  await rejects(call, (error: unknown) => {
    if (!MemoryError.isInstance(error))
      throw new Error(`expected a MemoryError ${code}, not ${String(error)}`, { cause: error });
    if (error.code !== code) throw new Error(`expected ${code}, not ${error.code}: ${error.message}`, { cause: error });
    if (message !== undefined && error.message !== message) {
      throw new Error(`expected the message "${message}", not "${error.message}"`, { cause: error });
    }
    return true;
  });
}
