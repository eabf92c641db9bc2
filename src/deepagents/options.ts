import { z } from "zod";
import type { MemoryError } from "../core/values/errors.js";
import { checkOptions, createFunctionField } from "../core/settings/check-options.js";

/** The receiver of failures that the protocol cannot express. */
export interface DeepAgentsBackendOptions {
  /**
   * Called with the reason when a download or an upload answers `permission_denied`. The protocol has no field for the
   * reason, and deepagents goes on without the file (`memory`, `skills`). @default a warning of the process
   */
  onError?: (error: MemoryError) => void;
}

const optionsSchema = z.strictObject({
  onError: createFunctionField("expected a function").optional(),
});

/** @throws TypeError */
export function checkBackendOptions(options: DeepAgentsBackendOptions | undefined): Required<DeepAgentsBackendOptions> {
  checkOptions("DeepAgentsBackendOptions", optionsSchema, options ?? {});
  return { onError: options?.onError ?? warn };
}

export function warn(error: MemoryError): void {
  globalThis.process?.emitWarning?.(`deepagents continues without a file of the memory: ${error.message}`, {
    type: "MemoryWarning",
  });
}
