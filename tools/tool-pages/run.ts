import { mkdir, writeFile } from "node:fs/promises";
import { dialectPages } from "./pages.js";
import { renderPage } from "./render.js";
import { readCommandTemplates, renderCommands } from "./render-commands.js";

for (const folder of ["docs/commands", "docs/tools"]) await mkdir(folder, { recursive: true });
for (const [name, page] of Object.entries(dialectPages))
  await writeFile(`docs/tools/${name}.md`, await renderPage(page));
for (const [file, page] of Object.entries(renderCommands(readCommandTemplates())))
  await writeFile(`docs/${file}`, page);
