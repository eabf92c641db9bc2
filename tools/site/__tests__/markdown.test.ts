import { describe, expect, test } from "@jest/globals";
import { posix } from "node:path";
import { base, builtFiles, builtPages, builtText } from "./built-site.js";

const pages = await builtPages();
const markdown = pages.map((file) => file.replace(/\.html$/, ".md"));

describe("for programs", () => {
  test("every page has its Markdown at its own address", async () => {
    const files = new Set(await builtFiles());
    expect(markdown.filter((file) => !files.has(file))).toEqual([]);
  });

  test("every page says where its Markdown is", async () => {
    const silent: string[] = [];
    for (const file of pages) {
      const address = base + file.replace(/\.html$/, ".md");
      if (!(await builtText(file)).includes(`<link rel="alternate" type="text/markdown" href="${address}">`))
        silent.push(file);
    }
    expect(silent).toEqual([]);
  });

  test("no link between the Markdown pages leads nowhere", async () => {
    const files = new Set(await builtFiles());
    const broken: string[] = [];
    for (const file of markdown) {
      const text = (await builtText(file)).replaceAll(/^[ \t]*(`{3,})[^]*?^[ \t]*\1|`[^`\n]+`/gm, "");
      for (const [, link = ""] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
        if (!/^[a-z]+:/.test(link) && !files.has(posix.join(posix.dirname(file), link)))
          broken.push(`${file}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test("llms.txt names every page", async () => {
    const index = await builtText("llms.txt");
    expect(markdown.filter((file) => !index.includes(`](${base}${file})`))).toEqual([]);
  });

  test("llms-full.txt has the text of the guides", async () => {
    const text = await builtText("llms-full.txt");
    for (const file of ["install.md", "whose-memory.md", "tutorial.md", "cookbook/forget-a-customer.md"]) {
      const [, title = ""] = /^# (.+)$/m.exec(await builtText(file)) ?? [];
      expect(text).toContain(`\n# ${title}\n`);
    }
  });
});
