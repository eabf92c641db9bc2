import type { CheckedAddress } from "../values/address.js";
import type { MemoryBackend } from "../backend.js";
import { MemoryError, withPath } from "../values/errors.js";
import type { BackendCommand } from "../access/guarded-changes.js";
import { type CallContext, type Stage as Act, runWithDeadline } from "./call.js";
import { creationFault, type PathRule } from "../values/paths.js";
import { isHeardHere, tellHere } from "../watch/own-changes.js";

export interface CallSettings {
  signals: readonly AbortSignal[];
  timeoutMs: number;
  paths: PathRule;
}

/** Runs the commands of one memory: each within its time, and changes are told to the listeners of this process. */
export class MemoryCalls {
  readonly #backend: MemoryBackend;
  readonly #address: CheckedAddress;
  readonly #settings: CallSettings;

  constructor(backend: MemoryBackend, address: CheckedAddress, settings: CallSettings) {
    this.#backend = backend;
    this.#address = address;
    this.#settings = settings;
  }

  run<T>(act: Act | (() => Act), command: BackendCommand<T>): Promise<T> {
    const running = runWithDeadline({ ...this.#settings, actor: null }, (call) => {
      if (typeof act === "function") Object.defineProperty(call, "stage", { get: act });
      else call.stage = act;
      return command(this.#backendFor(call), call);
    });
    if (act === "read" || !isHeardHere()) return running;
    return running.finally(() => tellHere(this.#backend, this.#address));
  }

  /**
   * Runs a command on what may exist. A missing path that could not be created either answers with the reason: the rule
   * limits which names can be created, never which can be reached (specification section 2).
   */
  async onPath<T>(path: string, act: Act | (() => Act), command: BackendCommand<T>): Promise<T> {
    try {
      return await this.run(act, command);
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
      const fault = error.code === "ENOENT" ? creationFault(path, this.#settings.paths) : null;
      throw withPath(fault ?? error, path);
    }
  }

  #backendFor(call: CallContext | undefined): MemoryBackend {
    return call === undefined ? this.#backend : (this.#backend.forCall?.(call) ?? this.#backend);
  }
}
