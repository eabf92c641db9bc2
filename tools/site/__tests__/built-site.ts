import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import type { Browser, Page } from "puppeteer-core";

/** The folder of the site that `npm run check:site` has built, and where it is served. */
const folder = "tools/site/dist";
export const base = process.env["SITE_BASE"] ?? "/";

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/** Serves the files of the built site, and nothing else, as any web host does. */
export class BuiltSite {
  readonly origin: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async serve(): Promise<BuiltSite> {
    const files = new Set(await builtFiles());
    const server = createServer((request, response) => {
      const file = fileOf(request.url ?? "/");
      if (file === undefined || !files.has(file)) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
      void readFile(`${folder}/${file}`).then((bytes) => response.end(bytes));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new BuiltSite(server);
  }

  address(path: string): string {
    return this.origin + base + path;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Opens a tab. `faults` collects requests to elsewhere, failed requests, and complaints of the browser. */
  async open(browser: Browser, { faults = [] as string[], scheme = "light" } = {}): Promise<Page> {
    const page = await browser.newPage();
    // Only what hangs takes so long, however busy the machine is.
    page.setDefaultTimeout(120_000);
    await page.setViewport({ width: 1280, height: 900 });
    await page.emulateMediaFeatures([
      { name: "prefers-color-scheme", value: scheme },
      { name: "prefers-reduced-motion", value: "reduce" },
    ]);
    page.on("request", (request) => {
      if (!request.url().startsWith(`${this.origin}/`) && !request.url().startsWith("data:"))
        faults.push(`${page.url()} asks ${request.url()}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) faults.push(`${page.url()}: ${response.status()} of ${response.url()}`);
    });
    page.on("pageerror", (error) => faults.push(`${page.url()}: ${String(error)}`));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(`${page.url()}: ${message.text()}`);
    });
    return page;
  }
}

/** The file of an address of the site, or undefined for an address outside. */
export function fileOf(url: string): string | undefined {
  const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
  if (!path.startsWith(base)) return undefined;
  const file = path.slice(base.length);
  return file === "" || file.endsWith("/") ? `${file}index.html` : file;
}

export async function builtFiles(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1));
}

export async function builtPages(): Promise<string[]> {
  return (await builtFiles()).filter((file) => file.endsWith(".html") && file !== "404.html");
}

export function builtText(file: string): Promise<string> {
  return readFile(`${folder}/${file}`, "utf8");
}
