import { SdkError, SdkErrorCode } from "@modelcontextprotocol/server";

/**
 * Returns a signal that aborts if the client cancels its request. If the connection ends, the signal does not abort:
 * earlier requests are still carried out.
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
