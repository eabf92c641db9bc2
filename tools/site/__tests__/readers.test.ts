import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "puppeteer-core";
import { startBrowser } from "../../../__tests__/helpers/page-browser.js";
import { BuiltSite, builtText } from "./built-site.js";

/** The front page, a guide, a page of the reference, and a page of the API. */
const samples = ["", "whose-memory.html", "options.html", "api/index/classes/MemoryNode.html"];

let site: BuiltSite;
let browser: Browser;

beforeAll(async () => {
  site = await BuiltSite.serve();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await site.close();
});

const allWays = samples.flatMap((path) =>
  (["light", "dark"] as const).flatMap((scheme) => [1280, 390].map((width) => ({ path, scheme, width }))),
);

describe("readers", () => {
  test.each(allWays)(
    "find no fault of accessibility in $path, $scheme, $width wide",
    async ({ path, scheme, width }) => {
      const page = await site.open(browser, { scheme });
      await page.setViewport({ width, height: 900 });
      await page.goto(site.address(path), { waitUntil: "networkidle0" });
      expect(await page.evaluate(`document.documentElement.classList.contains("dark")`)).toBe(scheme === "dark");
      const found = await faultsOf(page);
      await page.close();
      expect(found).toEqual([]);
    },
  );

  test("find no fault of accessibility in the search", async () => {
    const page = await site.open(browser);
    await page.goto(site.address(""), { waitUntil: "networkidle0" });
    await page.keyboard.press("/");
    await page.locator("#localsearch-input").fill("undo");
    await page.waitForSelector("#localsearch-list a");
    const found = await faultsOf(page);
    await page.close();
    expect(found).toEqual([]);
  });

  test("switch between light and dark", async () => {
    const page = await site.open(browser);
    await page.goto(site.address("whose-memory.html"), { waitUntil: "networkidle0" });
    const colour = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await colour();
    await page.locator("button.VPSwitchAppearance").click();
    await page.waitForSelector("html.dark");
    const dark = await colour();
    await page.close();
    expect(dark).not.toBe(light);
  });

  test.each(samples)("read %s without scripts", async (path) => {
    const page = await site.open(browser);
    await page.setJavaScriptEnabled(false);
    await page.goto(site.address(path));
    const title = await page.$eval("h1", (element) => element.checkVisibility());
    const links = await page.$$eval("a[href]", (elements) => elements.filter((each) => each.checkVisibility()).length);
    const code = await page.$$eval("pre code", (elements) => elements.every((each) => each.checkVisibility()));
    await page.close();
    expect({ title, code }).toEqual({ title: true, code: true });
    expect(links).toBeGreaterThan(5);
  });

  test("copy a page as Markdown", async () => {
    const page = await openWithClipboard("whose-memory.html");
    await page.locator("::-p-aria(Copy page as Markdown)").click();
    await page.waitForFunction(`document.querySelector("[role=status]")?.innerText === "Copied"`);
    const copied = await page.evaluate("clipboard");
    await page.close();
    expect(copied).toBe(await builtText("whose-memory.md"));
  });

  test("copy the code of a block", async () => {
    const page = await openWithClipboard("");
    await page.locator("div[class*=language-] button.copy").click();
    await page.waitForFunction("clipboard !== undefined");
    const copied = await page.evaluate("clipboard");
    await page.close();
    expect(copied).toMatch(/^import \{ createAgent \} from "langchain";\n/);
  });
});

/** Returns all that the checker of accessibility finds, with the elements. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(await readFile("node_modules/axe-core/axe.min.js", "utf8"));
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join("\n")}`);
}

/** Opens a page whose clipboard is the variable `clipboard`: the browser's own belongs to the tab in front. */
async function openWithClipboard(path: string): Promise<Page> {
  const page = await site.open(browser);
  await page.evaluateOnNewDocument(`var clipboard;
    navigator.clipboard.writeText = async (text) => { clipboard = text; };`);
  await page.goto(site.address(path), { waitUntil: "networkidle0" });
  return page;
}
