import { changeRoutes } from "./changes.js";
import { editRoutes } from "./edits.js";
import { exportRoutes } from "./export.js";
import { fileRoutes } from "./files.js";
import { memoryRoutes } from "./memories.js";
import { messageRoutes } from "./message.js";
import { proposalRoutes } from "./proposals.js";
import { searchRoutes } from "./search.js";
import { tidyRoutes } from "./tidy.js";
import { versionRoutes } from "./versions.js";

/** Every route below `/api/`. */
export const pageRoutes = [
  ...memoryRoutes,
  ...changeRoutes,
  ...fileRoutes,
  ...editRoutes,
  ...searchRoutes,
  ...versionRoutes,
  ...proposalRoutes,
  ...messageRoutes,
  ...exportRoutes,
  ...tidyRoutes,
] as const;
