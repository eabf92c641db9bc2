import { readFile } from "node:fs/promises";
import { startBrowser } from "../../__tests__/helpers/page-browser.js";

/* Draws `icon.png` of `icon.svg`. Run it after a change of the drawing: `npx tsx tools/desktop/draw-icon.ts`. */

const size = 512;
const browser = await startBrowser();
try {
  const page = await browser.newPage();
  await page.setViewport({ width: size, height: size });
  await page.setContent(`<style>body { margin: 0 }</style>${await readFile("tools/desktop/icon.svg", "utf8")}`);
  await page.screenshot({ path: "tools/desktop/icon.png", omitBackground: true });
} finally {
  await browser.close();
}
