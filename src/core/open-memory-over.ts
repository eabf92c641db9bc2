import { wrongArgument } from "./settings/wrong-argument.js";
import type { BackendLimits, MemoryBackend } from "./contract/backend.js";
import { BackendMemory } from "./backend-memory.js";
import type { Memory } from "./memory.js";
import { checkMemoryOptions, type MemoryOptions } from "./memory-options.js";
import { checkAddress, type CheckedAddress, type MemoryAddress } from "./values/address.js";

/**
 * Opens the backend of one memory. `openMemoryOver` calls it once, before it returns. The backend need not reach the
 * storage before the first call.
 */
export type OpenBackend = (address: CheckedAddress, limits: BackendLimits) => MemoryBackend;

/**
 * Opens the memory of an address over a backend of any kind. The memory checks and normalises every argument before the
 * backend sees it, and sorts the backend's answers. It passes on the backend's errors, and enforces the time limit of
 * each call.
 *
 * @param openBackend receives the checked address and limits. Its backend enforces the limits.
 * @param options default: names by the rule `posix`, files of at most 1,000,000 bytes, memories of at most 15,000,000,
 * calls of at most 30 s.
 * @throws MemoryError EINVAL for a bad address, TypeError for bad options
 */
export function openMemoryOver(openBackend: OpenBackend, address: MemoryAddress, options?: MemoryOptions): Memory {
  if (typeof openBackend !== "function")
    throw wrongArgument("openMemoryOver: openBackend", "a function from an address to a backend", openBackend);
  const checkedAddress = checkAddress(address);
  const checkedOptions = checkMemoryOptions(options);
  return new BackendMemory({
    backend: openBackend(checkedAddress, checkedOptions),
    address: checkedAddress,
    options: checkedOptions,
    signals: [],
    actor: null,
    run: null,
    policies: null,
  });
}
