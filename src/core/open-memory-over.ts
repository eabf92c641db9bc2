import { checkAddress, type CheckedAddress, type MemoryAddress } from "./address.js";
import type { BackendLimits, MemoryBackend } from "./backend.js";
import { CheckedMemory } from "./checked-memory.js";
import type { Memory } from "./memory.js";
import { checkMemoryOptions, type MemoryOptions } from "./options.js";

/** Opens the backend of one memory. It is called once, at once, and may leave the storage alone until the first command. */
export type OpenBackend = (address: CheckedAddress, limits: BackendLimits) => MemoryBackend;

/**
 * The memory of an address over a backend of any kind. The memory checks and normalises every argument before the backend
 * sees it, and sorts what the backend answers; what the backend throws is passed on.
 *
 * @param openBackend is given the address and the limits after their check. Its backend keeps the limits.
 * @param options default: names by the rule `adr`, files of at most 1,000,000 bytes, memories of at most 15,000,000.
 * @throws MemoryError EINVAL for a bad address, TypeError for bad options
 */
export function openMemoryOver(openBackend: OpenBackend, address: MemoryAddress, options?: MemoryOptions): Memory {
  const checkedAddress = checkAddress(address);
  const checkedOptions = checkMemoryOptions(options);
  return new CheckedMemory(openBackend(checkedAddress, checkedOptions), checkedAddress, checkedOptions);
}
