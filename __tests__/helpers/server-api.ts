import type { ServerApi } from "mongodb";

/** The setting that MongoDB Atlas suggests. */
export const serverApi = { version: "1", strict: true, deprecationErrors: true } as const satisfies ServerApi;
