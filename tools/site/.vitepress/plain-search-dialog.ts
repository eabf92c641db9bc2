import type { Plugin } from "vite";

/**
 * What the theme says about its search to readers of screens, and what it should say: a dialog with a list of links, in
 * place of a button with options that hold links.
 */
const changes: readonly [from: RegExp, to: string][] = [
  [
    /role="button"\s+:aria-owns="[^"]+"\s+aria-expanded="true"\s+aria-haspopup="listbox"\s+aria-labelledby="localsearch-label"/,
    'role="dialog" aria-modal="true" aria-label="Search"',
  ],
  [/:role="results\?\.length \? 'listbox' : undefined"/, ""],
  [/:aria-selected="[^"]+"\s+role="option"/, ""],
  [/:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/, ""],
  [/<span class="title-icon">/, '<span class="title-icon" aria-hidden="true">'],
  [/<kbd :aria-label=/g, '<kbd role="img" :aria-label='],
];

/** Corrects the theme's search. An update of VitePress that changes these lines ends the build. */
export function plainSearchDialog(): Plugin {
  return {
    name: "plain-search-dialog",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("/VPLocalSearchBox.vue")) return undefined;
      return changes.reduce((text, [from, to]) => {
        const changed = text.replace(from, to);
        if (changed === text) throw new Error(`The search of the theme has no ${String(from)} any more`);
        return changed;
      }, code);
    },
  };
}
