import type { ServerApi } from "mongodb";

/** As MongoDB Atlas offers it to copy. */
export const serverApi = { version: "1", strict: true, deprecationErrors: true } as const satisfies ServerApi;
