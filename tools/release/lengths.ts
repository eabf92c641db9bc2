import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { withoutCode } from "../../__tests__/helpers/documentation.js";
import { readOutline } from "../site/build/outline.js";

/** How many words a page may have with its code, by the sections of `docs/pages.md`. */
const mostWords: Record<string, number> = {
  Start: 2000,
  Guides: 1800,
  Production: 1200,
  Cookbook: 350,
  Compare: 1200,
};
/** All pages below `docs`, with those that only the repository has. */
const mostPages = 70;
const mostWordsOfAll = 65_000;
const mostWordsOfReadme = 480;
const recording = "docs/images/recording.webp";
const mostBytesOfRecording = 300_000;

/** Returns what is longer than its readers have time for, in words for the maintainer. */
export async function findTooLong(): Promise<string[]> {
  const readme = withoutCode(await readFile("README.md", "utf8"));
  const faults = reportLonger("README.md", countWords(readme.replaceAll(/[^\w\s]/g, "")), mostWordsOfReadme);
  for (const { title, pages } of readOutline()) {
    const most = mostWords[title] ?? Infinity;
    for (const { source } of pages)
      faults.push(...reportLonger(source, countWords(await readFile(source, "utf8")), most));
  }
  return [...faults, ...(await faultsOfWhole()), ...(await faultsOfRecording())];
}

async function faultsOfWhole(): Promise<string[]> {
  const names = (await readdir("docs", { recursive: true })).filter((name) => name.endsWith(".md"));
  const texts = await Promise.all(names.map((name) => readFile(join("docs", name), "utf8")));
  return [
    ...(names.length <= mostPages ? [] : [`docs has ${names.length} pages, and ${mostPages} are allowed`]),
    ...reportLonger("docs", countWords(texts.join("\n")), mostWordsOfAll),
  ];
}

function reportLonger(file: string, words: number, most: number): string[] {
  return words > most ? [`${file} has ${words} words, and ${most} are allowed`] : [];
}

function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

/** The site plays it, and the README leads to it. */
async function faultsOfRecording(): Promise<string[]> {
  const image = await readFile(recording);
  const { delay = [], loop } = await sharp(image, { animated: true }).metadata();
  const seconds = delay.reduce((sum, ms) => sum + ms, 0) / 1000;
  return [
    ...(seconds > 15 && seconds < 25 ? [] : [`${recording} plays ${seconds} s, and the README says 20`]),
    ...(loop === 0 ? [] : [`${recording} stops`]),
    ...(image.length <= mostBytesOfRecording ? [] : [`${recording} has ${image.length} bytes`]),
  ];
}
