import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Answers } from "../../answers.js";

export const SessionContext = createContext<Answers["session"]>({ access: "read", userId: null, place: null });

export function useSession(): Answers["session"] {
  return useContext(SessionContext);
}
