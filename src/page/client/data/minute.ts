import { createContext } from "preact";
import { useEffect, useState } from "preact/hooks";

/** The minute of the clock. Components that show relative times are drawn again with each minute. */
export const MinuteContext = createContext(0);

const getMinute = (): number => Math.floor(Date.now() / 60_000);

export function useMinute(): number {
  const [minute, setMinute] = useState(getMinute);
  useEffect(() => {
    const timer = setInterval(() => setMinute(getMinute()), 5000);
    return () => clearInterval(timer);
  }, []);
  return minute;
}
