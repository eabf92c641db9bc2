import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dialectPages } from "./pages.js";
import { renderPage } from "./render.js";
import { renderCommands } from "./render-commands.js";

await mkdir("docs/tools", { recursive: true });
for (const [name, page] of Object.entries(dialectPages))
  await writeFile(`docs/tools/${name}.md`, await renderPage(page));
await writeFile("docs/commands.md", renderCommands(await readFile("tools/tool-pages/commands.md", "utf8")));
