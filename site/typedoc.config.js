import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Converter } from "typedoc";

const { entryPoints, ...settings } = JSON.parse(readFileSync("typedoc.json", "utf8"));
delete settings.$schema;

/** Names each module as programs import it: `claude` for `src/langchain/claude/index.ts`. */
function nameAsImported(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const entry of project.children ?? []) entry.name = entry.name.replace(/^(?:.*\/|custom-)/, "");
  });
}

const importName = (name) => (name === "index" ? settings.name : `${settings.name}/${name}`);

/** The API reference as pages of the site, from the entry points and rules of the project's typedoc.json. */
export default {
  ...settings,
  entryPoints: entryPoints.map((path) => `../${path}`),
  tsconfig: "../tsconfig.json",
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
    module: ({ name }) => importName(name),
    member: ({ name }) => name,
  },
};
