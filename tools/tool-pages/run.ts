import { mkdir, writeFile } from "node:fs/promises";
import { createEntriesProgram } from "../../__tests__/helpers/documentation.js";
import { dialectPages } from "./pages.js";
import { renderPage } from "./render.js";
import { readCommandTemplate, renderCommands } from "./render-commands.js";
import { readOptionsTemplate, renderOptionsPage } from "./render-options.js";

await mkdir("docs/tools", { recursive: true });
for (const [name, page] of Object.entries(dialectPages))
  await writeFile(`docs/tools/${name}.md`, await renderPage(page));
await writeFile("docs/command-line.md", renderCommands(readCommandTemplate()));
await writeFile("docs/options.md", renderOptionsPage(readOptionsTemplate(), createEntriesProgram()));
