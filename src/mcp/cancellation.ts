import { SdkError, SdkErrorCode } from "@modelcontextprotocol/server";

/**
 * Aborts where the client cancels its request. Not where the connection ends: what was asked before is done all the
 * same.
 */
export function cancellation(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const onAbort = (): void => {
    const reason: unknown = signal.reason;
    if (!(reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed)) controller.abort(reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return controller.signal;
}
