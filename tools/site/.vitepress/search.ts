import type { DefaultTheme, MarkdownEnv } from "vitepress";

interface Renderer {
  render(source: string, env: MarkdownEnv): string;
}

/**
 * The text that the search indexes. A page of the API is one hit: its parts, such as "Returns", would be hits of every
 * query. The front page and the lists of all pages are none: they would be hits of every title.
 */
export function searchedText(source: string, env: MarkdownEnv, md: Renderer): string {
  if (["index.md", "documentation.md", "pages.md", "api/index.md"].includes(env.relativePath)) return "";
  const html = md.render(source, env);
  return env.relativePath.startsWith("api/") ? html.replaceAll(/<(\/?)h[2-6]\b/g, "<$1p") : html;
}

/**
 * How the search ranks, at the build and in the browser. VitePress sends these functions to the browser as text, so they
 * name nothing outside.
 */
export const searchOptions: DefaultTheme.LocalSearchOptions = {
  miniSearch: {
    options: {
      // Words of every sentence say nothing.
      processTerm: (term: string) => {
        const word = term.toLowerCase();
        return /^(?:a|an|and|are|as|at|be|by|can|do|does|for|from|how|i|if|in|is|it|its|my|no|not|of|on|or|so|that|the|this|to|what|when|which|with|you|your)$/.test(
          word,
        )
          ? null
          : word;
      },
    },
    searchOptions: {
      prefix: (term: string) => term.length > 2,
      fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
      boost: { title: 6, titles: 3, text: 1 },
      // People look for recipes and guides first.
      boostDocument: (id: string) => {
        if (/\/(?:api|bench|project)\b/.test(id)) return 0.3;
        if (/\/tools\//.test(id)) return 0.5;
        return /\/cookbook\//.test(id) ? 1.4 : 1;
      },
    },
  },
};
