import { mkdir, writeFile } from "node:fs/promises";
import { dialectPages } from "./pages.js";
import { renderPage } from "./render.js";

await mkdir("docs/tools", { recursive: true });
for (const [name, page] of Object.entries(dialectPages))
  await writeFile(`docs/tools/${name}.md`, await renderPage(page));
