import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Answers } from "../../answers.js";

export const SessionContext = createContext<Answers["session"]>({ access: "read", userId: null, place: null });

/** Whether the visitor sees only what is remembered about them. The page then uses no technical words. */
export function useIsOwner(): boolean {
  return useSession().owner !== undefined;
}

export function useSession(): Answers["session"] {
  return useContext(SessionContext);
}
