import type { DefaultTheme, MarkdownEnv } from "vitepress";
import type { MarkdownRenderer } from "vitepress";

/**
 * The text that the search indexes. A page of the API is one hit: its parts, such as "Returns", would be hits of every
 * query.
 */
export function searchedText(source: string, env: MarkdownEnv, md: MarkdownRenderer): string {
  const html = md.render(source, env);
  return env.relativePath.startsWith("api/") ? html.replaceAll(/<(\/?)h[2-6]\b/g, "<$1p") : html;
}

/** How the search in the browser ranks. VitePress sends the functions to the browser as text: they name nothing outside. */
export const searchOptions: DefaultTheme.LocalSearchOptions = {
  miniSearch: {
    searchOptions: {
      boostDocument: (id: string) => (/\/(?:api|decisions|bench|changelog|specification|contributing)\b/.test(id) ? 0.3 : 1),
    },
  },
};
