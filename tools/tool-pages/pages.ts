import type { DialectName } from "../../src/dialects/registry.js";
import type { DialectPage } from "./dialect-page.js";
import { claudePage } from "./dialects/claude.js";
import { journalPage } from "./dialects/journal.js";
import { recordsPage } from "./dialects/records.js";
import { unifiedPage } from "./dialects/unified.js";

/** The page `docs/tools/<dialect>.md` of each dialect. */
export const dialectPages: Record<DialectName, DialectPage> = {
  unified: unifiedPage,
  claude: claudePage,
  journal: journalPage,
  records: recordsPage,
};
