import type { Browser, Page } from "puppeteer-core";
import type { Tab } from "../../__tests__/helpers/page-browser.js";

/** A picture of an animation, as PNG. */
export interface Frame {
  image: Uint8Array;
  ms: number;
}

export const size = { width: 900, height: 600 } as const;
const captionHeight = 52;
/** What is left for the page. */
export const pageSize = { width: size.width, height: size.height - captionHeight } as const;

const moveSteps = 7;
const moveMs = 45;
const typeMs = 95;

/**
 * Draws what a person sees who uses a page: the page, a pointer, and a caption below it. The page itself is not changed.
 * Without a stage of its own, only the actions happen, which is enough for a test.
 */
export class Stage {
  readonly frames: Frame[] = [];
  readonly #tab: Tab;
  readonly #page: Page | null;
  #pointer = { x: size.width - 220, y: 300 };
  #caption = "";

  private constructor(tab: Tab, page: Page | null) {
    this.#tab = tab;
    this.#page = page;
  }

  /** @param isDrawn whether there are frames */
  static async open(browser: Browser, tab: Tab, isDrawn: boolean): Promise<Stage> {
    await tab.page.setViewport({ ...pageSize, deviceScaleFactor: 1 });
    await tab.page.emulateMediaFeatures([
      { name: "prefers-color-scheme", value: "light" },
      { name: "prefers-reduced-motion", value: "reduce" },
    ]);
    if (!isDrawn) return new Stage(tab, null);
    const page = await browser.newPage();
    await page.setViewport({ ...size, deviceScaleFactor: 1 });
    await page.setContent(stageHtml);
    return new Stage(tab, page);
  }

  async close(): Promise<void> {
    await this.#page?.close();
  }

  /** Begins a scene. */
  say(caption: string): void {
    this.#caption = caption;
  }

  /** Shows the page as it is now. */
  async hold(ms: number): Promise<void> {
    await this.#look();
    await this.#draw(ms);
  }

  /** Moves the pointer to an element. @param found an expression in the page */
  async pointAt(found: string): Promise<void> {
    if (this.#page === null) return;
    await this.#tab.until(`!!(${found})`);
    await this.#look();
    const box = await this.#tab.value<{ x: number; y: number }>(`(() => {
      const element = ${found};
      element.scrollIntoView({ block: "nearest", behavior: "instant" });
      const { left, top, width, height } = element.getBoundingClientRect();
      return { x: Math.round(left + Math.min(width / 2, 60)), y: Math.round(top + height / 2) };
    })()`);
    const from = this.#pointer;
    for (let step = 1; step <= moveSteps; step += 1) {
      const part = (1 - Math.cos((Math.PI * step) / moveSteps)) / 2;
      this.#pointer = { x: from.x + (box.x - from.x) * part, y: from.y + (box.y - from.y) * part };
      await this.#draw(moveMs);
    }
    await this.#draw(180);
  }

  /** Moves the pointer to a button or a link, and presses it. */
  async press(name: string, role: "button" | "link" = "button"): Promise<void> {
    const plain = JSON.stringify(name.replaceAll(/\s/g, ""));
    const selector = role === "button" ? "button" : "a[href]";
    await this.pointAt(
      `[...document.querySelectorAll("${selector}")].find((each) => each.checkVisibility() && each.textContent.replaceAll(/\\s/g, "") === ${plain})`,
    );
    await this.#draw(140, true);
    await this.#tab.press(name, role);
  }

  /** Moves the pointer to the first element of a selector, and clicks. */
  async click(selector: string): Promise<void> {
    await this.pointAt(`document.querySelector(${JSON.stringify(selector)})`);
    await this.#draw(140, true);
    await this.#tab.click(selector);
  }

  /** Types a text into a field, two letters at a time. */
  async type(selector: string, text: string): Promise<void> {
    await this.click(selector);
    await this.#tab.page.focus(selector);
    for (let at = 0; at < text.length; at += 2) {
      await this.#tab.page.keyboard.type(text.slice(at, at + 2));
      if (this.#page !== null) await this.hold(typeMs);
    }
  }

  async #look(): Promise<void> {
    if (this.#page === null) return;
    const image = await this.#tab.page.screenshot({ type: "png", encoding: "base64" });
    await this.#page.evaluate(
      `(async () => { const image = document.querySelector("img"); image.src = "data:image/png;base64,${image}"; await image.decode(); })()`,
    );
  }

  async #draw(ms: number, isPressed = false): Promise<void> {
    if (this.#page === null) return;
    const { x, y } = this.#pointer;
    await this.#page.evaluate(
      `draw(${JSON.stringify({ x: Math.round(x), y: Math.round(y), caption: this.#caption, isPressed })})`,
    );
    this.frames.push({ image: await this.#page.screenshot({ type: "png" }), ms });
  }
}

const stageHtml = `<!doctype html>
<style>
  body { margin: 0; overflow: hidden; background: #18181c; }
  img { display: block; width: ${pageSize.width}px; height: ${pageSize.height}px; }
  p { margin: 0; height: ${captionHeight}px; line-height: ${captionHeight}px; padding: 0 20px; color: #f4f4f8;
    font: 500 18px/${captionHeight}px system-ui, "Segoe UI", Helvetica, Arial, "Open Sans", sans-serif; white-space: nowrap; }
  svg, i { position: absolute; left: 0; top: 0; }
  i { width: 34px; height: 34px; margin: -17px 0 0 -17px; border-radius: 50%; background: #4f5bd555; }
</style>
<img alt=""><p></p><i></i>
<svg width="22" height="28" viewBox="0 0 22 28"><path d="M2 2v20l5-5 4 9 4-2-4-8h7z" fill="#18181c" stroke="#fff" stroke-width="1.6" stroke-linejoin="round"/></svg>
<script>
  function draw({ x, y, caption, isPressed }) {
    document.querySelector("p").textContent = caption;
    const place = "translate(" + x + "px, " + y + "px)";
    document.querySelector("svg").style.transform = place;
    const ring = document.querySelector("i");
    ring.style.transform = place;
    ring.hidden = !isPressed;
  }
</script>`;
