import { useState } from "preact/hooks";
import { type ApiError, toApiError } from "../data/api.js";

interface Act {
  isBusy: boolean;
  /** The reason why the act failed the last time. */
  error: ApiError | null;
  run: () => void;
}

/** Returns what a button does: it runs an act, and knows whether the act runs or has failed. */
export function useAct(act: () => Promise<unknown>): Act {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    await act().catch((failure: unknown) => setError(toApiError(failure)));
    setBusy(false);
  };
  return { isBusy, error, run: () => void run() };
}
