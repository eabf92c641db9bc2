import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { WireSession } from "../../wire.js";

export const SessionContext = createContext<WireSession>({ access: "read", userId: null, place: null });

export function useSession(): WireSession {
  return useContext(SessionContext);
}
