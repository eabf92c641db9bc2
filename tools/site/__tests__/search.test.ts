import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Page } from "puppeteer-core";
import { startBrowser } from "../../../__tests__/helpers/page-browser.js";
import { BuiltSite, fileOf } from "./built-site.js";

/** What new users ask, in the words that they type, and the pages that answer. */
const questions: [words: string, pages: string[]][] = [
  ["remember user between conversations", ["tutorial", "first-agent"]],
  ["lost edits parallel", ["comparison", "concepts"]],
  ["tenant isolation", ["whose-memory", "security"]],
  ["prompt caching budget", ["prompt"]],
  ["delete person GDPR", ["cookbook/forget-a-customer"]],
  ["leaked key redact", ["cookbook/redact-a-leaked-key"]],
  ["undo run poisoned", ["cookbook/undo-a-poisoned-run", "history"]],
  ["approve changes review", ["approval"]],
  ["shared team memory read only", ["whose-memory", "cookbook/organisation-team-user"]],
  ["migrate MongoDBStore", ["store"]],
  ["search without Atlas vector", ["search"]],
  ["Claude Code Cursor MCP", ["mcp"]],
  ["Python", ["mcp"]],
  ["backup export restore", ["cookbook/back-up-and-restore"]],
  ["webhook change", ["cookbook/webhooks"]],
  ["encrypt", ["cookbook/encrypt-texts", "security"]],
  ["document too large 16 MB", ["troubleshooting", "limits"]],
  ["mem0 Letta Zep", ["comparison"]],
  ["LangGraph Server store replaced", ["troubleshooting", "first-agent", "deploy"]],
  ["Vercel AI SDK", ["ai-sdk"]],
  ["deploy Next.js", ["deploy"]],
  ["StateGraph without createAgent", ["other-ways"]],
];

/** Single words, and the pages about them. */
const words: [word: string, pages: string[]][] = [
  ["expire", ["erasing", "store"]],
  ["Obsidian", ["cookbook/edit-in-an-editor"]],
  ["undo", ["history", "cookbook/undo-a-poisoned-run", "tutorial"]],
  ["blame", ["history"]],
  ["interrupt", ["approval"]],
  ["OpenTelemetry", ["deploy"]],
  ["deepagents", ["dialects"]],
  ["shard", ["collections", "scaling"]],
  ["Windows", ["folder"]],
  ["embeddings", ["search", "store"]],
];

let site: BuiltSite;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  site = await BuiltSite.serve();
  browser = await startBrowser();
  page = await site.open(browser);
  await page.goto(site.address(""));
  // The key works from the moment on in which the scripts run.
  await page.waitForFunction(`document.querySelector("#app")?.__vue_app__ !== undefined`);
  await page.keyboard.press("/");
  await page.waitForSelector("#localsearch-input");
});

afterAll(async () => {
  await browser.close();
  await site.close();
});

/** Searches for a text, and returns the pages of the first five hits. */
async function firstHits(query: string): Promise<string[]> {
  // What was found before must be gone before the next hits are read.
  for (const [text, isDone] of [
    ["\u{FFFF}", `document.querySelectorAll("#localsearch-list a").length === 0`],
    [query, `document.querySelectorAll("#localsearch-list a, .no-results").length > 0`],
  ] as const) {
    // The whole text at once: letter by letter, a slow browser would show the hits of its beginning.
    await page.evaluate(`(() => {
      const input = document.querySelector("#localsearch-input");
      input.value = ${JSON.stringify(text)};
      input.dispatchEvent(new Event("input", { bubbles: true }));
    })()`);
    await page.waitForFunction(isDone, { polling: 20 });
  }
  const links = (await page.evaluate(
    `[...document.querySelectorAll("#localsearch-list a")].slice(0, 5).map(({ href }) => href)`,
  )) as string[];
  return links.map((link) => (fileOf(link) ?? link).replace(/\.html$/, ""));
}

describe("the search", () => {
  test.each(questions)("answers '%s'", async (query, pages) => {
    expect(await firstHits(query)).toEqual(expect.arrayContaining([expect.stringMatching(anyOf(pages))]));
  });

  test.each(words)("finds the pages about '%s'", async (query, pages) => {
    expect(await firstHits(query)).toEqual(expect.arrayContaining([expect.stringMatching(anyOf(pages))]));
  });
});

function anyOf(pages: readonly string[]): RegExp {
  return new RegExp(`^(?:${pages.join("|")})$`);
}
