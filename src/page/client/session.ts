import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { WireSession } from "../wire.js";

export const SessionContext = createContext<WireSession>({ access: "read", userId: null });

export function useSession(): WireSession {
  return useContext(SessionContext);
}

const nameKey = "memory-page-name";

/** How the visitor signs decisions, where the server does not know who it is. */
export function useSignature(): { name: string; isFixed: boolean; setName: (name: string) => void } {
  const { userId } = useSession();
  const [name, setName] = useState(userId ?? localStorage.getItem(nameKey) ?? "");
  return {
    name,
    isFixed: userId !== null,
    setName: (given) => {
      localStorage.setItem(nameKey, given);
      setName(given);
    },
  };
}
