import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { readFile } from "node:fs/promises";
import puppeteer, { type Browser, type Page, type SerializedAXNode } from "puppeteer-core";
import { findChromium } from "./chromium.js";

/** Starts the only browser of a test file. */
export async function startBrowser(): Promise<Browser> {
  const { path, env } = await findChromium();
  return puppeteer.launch({
    executablePath: path,
    headless: "shell",
    timeout: waiting.timeout,
    args: ["--no-sandbox", "--disable-gpu"],
    env: { ...process.env, ...env },
  });
}

/** Starts a server for one test. */
export async function listening(
  listener: Parameters<typeof createServer>[1],
): Promise<{ server: Server; origin: string }> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Polls, because a page that nobody looks at draws no frames. Only what hangs takes so long, however busy the machine. */
const waiting = { timeout: 120_000, polling: 20 } as const;

/**
 * A function in the page: it performs an act that leads to an address, and waits until the page has drawn the content,
 * which takes two tasks.
 */
const afterwards = `(act, href) => new Promise((resolve) => {
  if (href === location.href) setTimeout(resolve, 0, true);
  else addEventListener("hashchange", () => setTimeout(resolve, 0, true), { once: true });
  act();
})`;

const countLinks = `[...document.querySelectorAll("a[href]")].filter((each) => each.checkVisibility() && each.closest("[aria-hidden=true]") === null).length`;

function countNodes(node: SerializedAXNode | null, role: string): number {
  if (node === null) return 0;
  return (node.children ?? []).reduce((sum, child) => sum + countNodes(child, role), node.role === role ? 1 : 0);
}

/** A tab, with the actions of a person and the forbidden effects. */
export class Tab {
  readonly page: Page;
  /** Requests to other servers, scripts that ran, and complaints of the browser. */
  readonly faults: string[] = [];
  requests = 0;

  private constructor(page: Page, origin: string) {
    this.page = page;
    page.on("request", (request) => {
      this.requests += 1;
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:"))
        this.faults.push(`asked ${request.url().slice(0, 200)}`);
    });
    page.on("dialog", (dialog) => {
      this.faults.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("pageerror", (error) => this.faults.push(`error ${String(error)}`));
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(`console ${message.text()}`);
    });
  }

  static open(browser: Browser, origin: string, token: string): Promise<Tab> {
    return Tab.openAt(browser, origin, `#token=${token}`);
  }

  static async openAt(browser: Browser, origin: string, hash: string): Promise<Tab> {
    const tab = new Tab(await browser.newPage(), origin);
    tab.page.setDefaultTimeout(waiting.timeout);
    await tab.page.setViewport({ width: 1280, height: 800 });
    await tab.page.goto(`${origin}/${hash}`);
    return tab;
  }

  async view(hash: string): Promise<void> {
    await this.page.evaluate(
      `(${afterwards})(() => { location.hash = ${JSON.stringify(hash)}; }, new URL(${JSON.stringify(hash)}, location.href).href)`,
    );
  }

  /** Waits until a text is visible. */
  async see(text: string | RegExp): Promise<void> {
    const [source, flags] =
      typeof text === "string"
        ? [text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), ""]
        : [text.source, text.flags];
    await this.until(`new RegExp(${JSON.stringify(source)}, "${flags}").test(document.body.innerText)`).catch(
      async (cause: unknown) => {
        throw new Error(`${String(text)} is not to be seen in: ${await this.text()}`, { cause });
      },
    );
  }

  /** Waits until a text is no longer visible. */
  async seeNot(text: string): Promise<void> {
    await this.until(`!document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  /** Waits until an expression is true in the page. */
  async until(expression: string): Promise<void> {
    await this.page.waitForFunction(expression, waiting);
  }

  /**
   * Returns the value of an expression in the page. Expressions are texts, because the tests have no types of a
   * browser.
   */
  async value<T>(expression: string): Promise<T> {
    return (await this.page.evaluate(expression)) as T;
  }

  /** Presses the button or link with this name. */
  press(name: string, role: "button" | "link" = "button"): Promise<void> {
    const plain = "(text) => text.replaceAll(/\\s/g, '')";
    const isNamed = `(element) => (${plain})(element.getAttribute("aria-label") ?? element.textContent) === (${plain})(${JSON.stringify(name)})`;
    return this.#click(
      `[...document.querySelectorAll("${role === "button" ? "button" : "a[href]"}")].find((each) => each.checkVisibility() && (${isNamed})(each))`,
      `${role} ${name}`,
    );
  }

  /** Presses the first element of a selector. */
  click(selector: string): Promise<void> {
    return this.#click(`document.querySelector(${JSON.stringify(selector)})`, selector);
  }

  /**
   * Clicks as soon as the element exists, is enabled, and is not covered. One step inside the page does all this, so
   * that nothing can move or be redrawn between the check and the click, and nothing is clicked twice. Returns after a
   * link has led to its address.
   */
  async #click(found: string, name: string): Promise<void> {
    const isClicked = await this.value(`(async () => {
      for (const end = Date.now() + ${waiting.timeout}; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, ${waiting.polling}))) {
        const element = ${found};
        if (element === null || element === undefined || element.matches(":disabled")) continue;
        element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
        const [box] = element.getClientRects();
        if (box === undefined || !element.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2))) continue;
        return (${afterwards})(() => element.click(), element.href ?? location.href);
      }
    })()`);
    if (isClicked !== true) throw new Error(`${name} cannot be pressed in: ${await this.text()}`);
  }

  async type(name: string, text: string): Promise<void> {
    await this.page.locator(`::-p-aria([name="${name}"])`).setTimeout(waiting.timeout).fill(text);
  }

  text(): Promise<string> {
    return this.value("document.body.innerText");
  }

  /** Returns what a screen reader is told. Chromium tells it of new elements a moment after it has drawn them. */
  async accessibleTree(): Promise<SerializedAXNode | null> {
    let tree = await this.page.accessibility.snapshot();
    const end = Date.now() + waiting.timeout;
    while (Date.now() < end) {
      const links = await this.value<number>(countLinks);
      const isWhole = countNodes(tree, "link") === links;
      await new Promise((resolve) => setTimeout(resolve, waiting.polling));
      const next = await this.page.accessibility.snapshot();
      if (isWhole && JSON.stringify(next) === JSON.stringify(tree)) return tree;
      tree = next;
    }
    throw new Error(`the tree of a screen reader does not become still: ${JSON.stringify(tree)}`);
  }

  elements(): Promise<number> {
    return this.value('document.querySelectorAll("*").length');
  }

  /** Returns the serious faults that a checker of accessibility finds. */
  async seriousFaults(): Promise<string[]> {
    if (!(await this.value<boolean>('"axe" in window')))
      await this.page.evaluate(await readFile("node_modules/axe-core/axe.min.js", "utf8"));
    const found = await this.value<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>(
      "axe.run(document, { resultTypes: ['violations'] })",
    );
    return found.violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200) ?? ""}`);
  }
}
