import type { Target } from "./target.js";
import { archives } from "./targets/archives.js";
import { globs } from "./targets/globs.js";
import { mcp } from "./targets/mcp.js";
import { largeTexts } from "./targets/large-texts.js";
import { page } from "./targets/page.js";
import { searches } from "./targets/searches.js";
import { storeCalls } from "./targets/store.js";
import { tools } from "./targets/tools.js";

/** Every way in: the one place that lists them. */
export const targets: readonly Target[] = [tools, storeCalls, mcp, globs, archives, searches, largeTexts, page];
