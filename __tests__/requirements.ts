import { access } from "./requirements/access.js";
import { aiSdk } from "./requirements/ai-sdk.js";
import { approval } from "./requirements/approval.js";
import { baseStore } from "./requirements/base-store.js";
import { claude } from "./requirements/claude.js";
import { commandLine } from "./requirements/command-line.js";
import { connector } from "./requirements/connector.js";
import { deepagents } from "./requirements/deepagents.js";
import { dialects } from "./requirements/dialects.js";
import { directory } from "./requirements/directory.js";
import { erasing } from "./requirements/erasing.js";
import { errors } from "./requirements/errors.js";
import { expiring } from "./requirements/expiring.js";
import { history } from "./requirements/history.js";
import { guarantees } from "./requirements/guarantees.js";
import { journal } from "./requirements/journal.js";
import { mcp } from "./requirements/mcp.js";
import { memory } from "./requirements/memory.js";
import { mongodb } from "./requirements/mongodb.js";
import { mounts } from "./requirements/mounts.js";
import { page } from "./requirements/page.js";
import { paths } from "./requirements/paths.js";
import { records } from "./requirements/records.js";
import { grep, search } from "./requirements/search.js";
import { store } from "./requirements/store.js";
import { storeSearch } from "./requirements/store-search.js";
import { template } from "./requirements/template.js";
import { tool } from "./requirements/tool.js";
import { waiting } from "./requirements/waiting.js";
import { traces } from "./requirements/traces.js";
import { watch } from "./requirements/watch.js";
import { waysIn } from "./requirements/ways-in.js";
import type { Requirements } from "./requirements/requirement.js";

/**
 * What the project must do, by area, in the order of the specification; the ids of an area begin with its name. A test
 * says which of them it shows in a comment directly above it: `// Requirement: paths.limits, paths.reaching`.
 * `__tests__/pins/requirements.test.ts` fails where one is shown by no test.
 */
export const requirements: Record<string, Requirements> = {
  memory,
  paths,
  tool,
  guarantees,
  waiting,
  access,
  approval,
  mounts,
  search,
  grep,
  mongodb,
  "base-store": baseStore,
  directory,
  connector,
  "ways-in": waysIn,
  errors,
  dialects,
  claude,
  journal,
  records,
  deepagents,
  "ai-sdk": aiSdk,
  template,
  mcp,
  page,
  "command-line": commandLine,
  store,
  "store-search": storeSearch,
  history,
  watch,
  traces,
  erasing,
  expiring,
};
