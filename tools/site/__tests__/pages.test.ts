import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Page } from "puppeteer-core";
import { startBrowser } from "../../../__tests__/helpers/page-browser.js";
import { BuiltSite, builtFiles, builtPages, builtText, fileOf } from "./built-site.js";

/** What a page looks like after its scripts have run. */
interface Seen {
  file: string;
  title: string;
  ids: string[];
  links: string[];
  brokenPictures: string[];
}

/** An expression, as the tests have no types of a browser. */
const look = `(async () => {
  const pictures = [...document.images];
  await Promise.all(pictures.map((picture) => picture.decode().catch(() => undefined)));
  return {
    title: document.querySelector("h1")?.innerText ?? "",
    ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
    links: [...document.querySelectorAll("a[href]")].map(({ href }) => href),
    brokenPictures: pictures.filter(({ naturalWidth }) => naturalWidth === 0).map(({ src }) => src),
  };
})()`;

let site: BuiltSite;
let browser: Browser;
let seen: Map<string, Seen>;
const faults: string[] = [];

beforeAll(async () => {
  site = await BuiltSite.serve();
  browser = await startBrowser();
  const pages = await builtPages();
  // Pages of the API come from one generator: a few show what scripts make of them, and their HTML says the rest.
  const isRead = (file: string, index: number): boolean => file.startsWith("api/") && index % 12 !== 0;
  seen = new Map(await Promise.all(pages.filter(isRead).map(read)));
  const waiting = pages.filter((file) => !seen.has(file));
  // Two tabs, as the smallest machines have two cores.
  await Promise.all([visit(waiting), visit(waiting)]);
});

afterAll(async () => {
  await browser.close();
  await site.close();
});

async function visit(waiting: string[]): Promise<void> {
  const page: Page = await site.open(browser, { faults });
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    await page.goto(site.address(file), { waitUntil: "load" });
    seen.set(file, { file, ...((await page.evaluate(look)) as Omit<Seen, "file">) });
  }
}

/** Reads a page without a browser. */
async function read(file: string): Promise<[string, Seen]> {
  const html = await builtText(file);
  const valuesOf = (attribute: RegExp): string[] => Array.from(html.matchAll(attribute), ([, value = ""]) => value);
  const links = valuesOf(/<a [^>]*?href="([^"]+)"/g).map((link) => new URL(link, site.address(file)).href);
  const title = /<h1[^>]*>([^]*?)<\/h1>/.exec(html)?.[1] ?? "";
  return [file, { file, title, ids: valuesOf(/ id="([^"]+)"/g), links, brokenPictures: [] }];
}

/** The links of a page to this site, with the file and the anchor that they name. */
function linksWithin({ links }: Seen): { link: string; file: string; anchor: string }[] {
  return links
    .filter((link) => link.startsWith(`${site.origin}/`))
    .map((link) => ({ link, file: fileOf(link) ?? link, anchor: decodeURIComponent(new URL(link).hash.slice(1)) }));
}

describe("every page", () => {
  test("has a title", () => {
    const untitled = Array.from(seen.values()).filter(({ title }) => title.trim() === "");
    expect(untitled.map(({ file }) => file)).toEqual([]);
    expect(seen.size).toBeGreaterThan(100);
  });

  test("has no link within the site that leads nowhere", async () => {
    const files = new Set(await builtFiles());
    const broken = Array.from(seen.values()).flatMap((page) =>
      linksWithin(page)
        .filter(({ file, anchor }) => {
          if (!files.has(file)) return true;
          return anchor !== "" && seen.get(file)?.ids.includes(anchor) === false;
        })
        .map(({ link }) => `${page.file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  test("shows all its pictures", () => {
    expect(
      Array.from(seen.values()).flatMap(({ file, brokenPictures }) => brokenPictures.map((src) => `${file}: ${src}`)),
    ).toEqual([]);
    expect(faults.filter((fault) => /\.(?:svg|webp|png|gif)/.test(fault))).toEqual([]);
  });

  test("asks no other server, and has no error", () => {
    expect(faults).toEqual([]);
  });

  test("is within three clicks of the front page", () => {
    const clicks = new Map([["index.html", 0]]);
    for (const [file, distance] of clicks) {
      const page = seen.get(file);
      for (const link of page === undefined ? [] : linksWithin(page))
        if (seen.has(link.file) && !clicks.has(link.file)) clicks.set(link.file, distance + 1);
    }
    expect(Array.from(seen.keys()).filter((file) => (clicks.get(file) ?? Infinity) > 3)).toEqual([]);
  });
});
