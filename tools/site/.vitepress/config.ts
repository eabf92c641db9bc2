import { readFileSync } from "node:fs";
import { slug } from "github-slugger";
import { defineConfig, type DefaultTheme } from "vitepress";
import type { SiteData } from "../build/prepare.js";
import type { SitePage, SiteSection } from "../build/pages.js";
import { plainSearchDialog } from "./plain-search-dialog.js";
import { searchOptions, searchedText } from "./search.js";

const { project, sections, api } = JSON.parse(readFileSync("tools/site/.pages/site.json", "utf8")) as SiteData;
const base = process.env["SITE_BASE"] ?? "/";

/** The sidebar folds these sections, in which readers look up single pages. */
const folded = new Set(["Cookbook", "Reference", "Extend", "Examples", "Measurements", "Project"]);

/** A heading leads to the first page of its section. */
function sidebarOf(parts: readonly SiteSection[]): DefaultTheme.SidebarItem[] {
  return parts.map(({ title, pages }) => ({
    ...headingOf(title, pages[0]),
    collapsed: folded.has(title),
    items: pages.map((page) => ({ text: page.title, link: linkTo(page.path) })),
  }));
}

/** In the API the first page is that of the entry, whose name is the heading. */
function apiSidebar(): DefaultTheme.SidebarItem[] {
  return api.map(({ title, pages: [entry, ...members] }) => ({
    ...headingOf(title.replace(`${project.name}/`, "/"), entry),
    ...(members.length > 0 && {
      collapsed: true,
      items: members.map(({ title: text, path }) => ({ text, link: linkTo(path) })),
    }),
  }));
}

function headingOf(text: string, first: SitePage | undefined): DefaultTheme.SidebarItem {
  return { text, link: linkTo(first?.path ?? ""), docFooterText: first?.title ?? text };
}

function linkTo(path: string): string {
  return `/${path.replace(/(?:index)?\.md$/, "")}`;
}

function firstOf(title: string): string {
  return linkTo(sections.find((section) => section.title === title)?.pages[0]?.path ?? "pages.md");
}

export default defineConfig({
  srcDir: ".pages",
  outDir: "dist",
  base,
  lang: "en",
  title: project.name,
  description: project.description,
  lastUpdated: false,
  ...(project.homepage !== undefined && { sitemap: { hostname: project.homepage } }),
  // The pages' Markdown is copied there for programs.
  srcExclude: ["public/**"],
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}logo.svg` }]],
  transformHead: ({ page }) => [["link", { rel: "alternate", type: "text/markdown", href: `${base}${page}` }]],
  vite: { plugins: [plainSearchDialog()] },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    languageAlias: { mjs: "js" },
    // The links of the pages name headings as GitHub does.
    anchor: { slugify: (text: string) => slug(text) },
  },
  themeConfig: {
    logo: { src: "/logo.svg", alt: "" },
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Guides", link: "/documentation" },
      { text: "Cookbook", link: firstOf("Cookbook"), activeMatch: "^/cookbook/" },
      { text: "API", link: "/api/", activeMatch: "^/api/" },
      { text: project.version, link: "/project/changelog" },
    ],
    sidebar: { "/api/": apiSidebar(), "/": sidebarOf(sections) },
    outline: { level: [2, 3], label: "On this page" },
    socialLinks: [{ icon: "github", link: project.repository, ariaLabel: "The repository on GitHub" }],
    search: { provider: "local", options: { ...searchOptions, _render: searchedText } },
    notFound: {
      title: "Page not found",
      quote: "The page may have another name now. The search finds it.",
      linkText: "To the front page",
      linkLabel: "To the front page",
    },
    externalLinkIcon: true,
    footer: { message: "MIT licence" },
  },
});
