import { fileURLToPath } from "node:url";
import { Converter } from "typedoc";

const name = "langgraph-mongo-memory";

/** Names each module as programs import it: `claude` for `src/langchain/claude/index.ts`. */
function nameAsImported(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const entry of project.children ?? []) entry.name = entry.name.replace(/^(?:.*\/|custom-)/, "");
  });
}

const importName = (module) => (module === "index" ? name : `${name}/${module}`);

/** The API reference as pages of the site. An export without a doc comment is an error. */
export default {
  name,
  entryPoints: ["index.ts", "*/index.ts", "langchain/*/index.ts", "backends/*/index.ts"].map(
    (path) => `../../src/${path}`,
  ),
  readme: "none",
  excludePrivate: true,
  excludeExternals: true,
  excludeInternal: true,
  disableSources: true,
  treatWarningsAsErrors: true,
  // The compiler checks the types in a step of its own.
  skipErrorChecking: true,
  validation: { notExported: false, invalidLink: true, notDocumented: true },
  requiredToBeDocumented: [
    "Enum",
    "Variable",
    "Function",
    "Class",
    "Interface",
    "TypeAlias",
    "Method",
    "Constructor",
    "Accessor",
  ],
  tsconfig: "../../tsconfig.json",
  plugin: [fileURLToPath(import.meta.resolve("typedoc-plugin-markdown")), nameAsImported],
  out: ".pages/api",
  entryFileName: "index",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "list",
  pageTitleTemplates: {
    index: "API reference",
    module: ({ name: module }) => importName(module),
    member: ({ name: member }) => member,
  },
};
