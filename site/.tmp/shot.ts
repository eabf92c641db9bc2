import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { startBrowser } from "../../__tests__/helpers/page-browser.js";
void (async () => {
const types: any = {".html":"text/html",".js":"text/javascript",".css":"text/css",".svg":"image/svg+xml",".md":"text/markdown",".txt":"text/plain"};
const base = process.env.SITE_BASE ?? "/";
const server = createServer(async (q, s) => { let p = decodeURIComponent(new URL(q.url!, "http://x").pathname).slice(base.length-1); if (p.endsWith("/")) p += "index.html"; try { const b = await readFile("site/dist"+p); s.writeHead(200, {"content-type": types[/\.\w+$/.exec(p)?.[0] ?? ""] ?? "application/octet-stream"}); s.end(b);} catch { s.writeHead(404); s.end(); } }).listen(4199);
const b = await startBrowser();
for (const spec of process.argv.slice(2)) {
  const [name, path, mode="light", size="1280x900", act=""] = spec.split("|");
  const page = await b.newPage(); const [w,h] = size.split("x").map(Number);
  await page.setViewport({width:w!,height:h!});
  await page.emulateMediaFeatures([{name:"prefers-color-scheme",value:mode}]);
  await page.goto("http://localhost:4199"+base+path!, {waitUntil:"networkidle0"});
  if (act.startsWith("search:")) { await page.keyboard.press("/"); await page.waitForSelector(".VPLocalSearchBox input"); await page.type(".VPLocalSearchBox input", act.slice(7)); await new Promise(r=>setTimeout(r,1500)); }
  if (act.startsWith("scroll:")) { await page.evaluate(`scrollTo(0, ${act.slice(7)})`); await new Promise(r=>setTimeout(r,400)); }
  await page.screenshot({path:`/tmp/shots/${name}.png` as any});
  await page.close();
}
await b.close(); server.close();

})();
