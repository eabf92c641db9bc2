import type { MarkedToken, Token, Tokens } from "marked";
import { type ComponentChildren, createContext, type VNode } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { basePath } from "../data/token.js";
import { Lines } from "../parts/lines.js";
import { Pending } from "../parts/parts.js";
import { Shown } from "../parts/shown.js";

/** Longer texts would create too many elements. */
export const maxMarkdownChars = 100_000;

const maxParseMs = 2000;

const maxDepth = 40;

export const isMarkdown = (path: string): boolean => /\.(?:md|markdown)$/i.test(path);

export interface Linking {
  /** Path of the file that contains the links. */
  path: string;
  /** Returns the address for a link to another file. */
  createHref: (path: string) => string;
}

const LinkContext = createContext<Linking>({ path: "/", createHref: (path) => path });

/** Shows a text as Markdown, or plain if that takes too long. */
export function Markdown({ text, ...linking }: { text: string } & Linking): VNode {
  const texts = useMemo(() => [text], [text]);
  const parsed = useMarkdown(texts);
  if (parsed === undefined) return <Pending error={null} />;
  if (parsed === null) {
    return (
      <>
        <p class="note">Too long, or too hard to read, to show as Markdown.</p>
        <Lines text={text} />
      </>
    );
  }
  return <MarkdownText tokens={parsed[0] ?? []} {...linking} />;
}

/**
 * Shows a text that is parsed. Its tokens become nodes, so that the browser never reads HTML of the text and loads no
 * picture.
 */
export function MarkdownText({ tokens, path, createHref }: { tokens: readonly Token[] } & Linking): VNode {
  const linking = useMemo(() => ({ path, createHref }), [path, createHref]);
  return (
    <LinkContext.Provider value={linking}>
      <div class="markdown">
        <TokenList tokens={tokens} depth={0} />
      </div>
    </LinkContext.Provider>
  );
}

/** Parses each text. Returns undefined while it parses, and null if that fails, or all of it takes too long. */
export function useMarkdown(texts: readonly string[]): Token[][] | null | undefined {
  const [parsed, setParsed] = useState<Token[][] | null>();
  useEffect(() => {
    if (texts.reduce((chars, text) => chars + text.length, 0) > maxMarkdownChars) {
      setParsed(null);
      return undefined;
    }
    const worker = new Worker(`${basePath}/markdown.js`);
    const stop = (): void => {
      worker.terminate();
      clearTimeout(timer);
    };
    // The earlier texts stay while new ones are parsed, for example after a change of the file.
    const end = (all: Token[][] | null): void => {
      stop();
      setParsed(all);
    };
    const timer = setTimeout(() => end(null), maxParseMs);
    worker.addEventListener("message", ({ data }: MessageEvent<Token[][] | null>) => end(data));
    worker.addEventListener("error", () => end(null));
    worker.postMessage(texts);
    return stop;
  }, [texts]);
  return parsed;
}

interface TokensProps {
  tokens: readonly Token[] | undefined;
  /** Depth of nesting. */
  depth: number;
}

function TokenList({ tokens, depth }: TokensProps): VNode {
  if (depth > maxDepth) return <>…</>;
  return (
    <>
      {tokens?.map((token, index) => (
        // The lexer has no extensions, so it creates no tokens of other types.
        <TokenView key={index} token={token as MarkedToken} depth={depth + 1} />
      ))}
    </>
  );
}

function TokenView({ token, depth }: { token: MarkedToken; depth: number }): VNode | null {
  const nested = "tokens" in token ? <TokenList tokens={token.tokens} depth={depth} /> : null;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
    case "br":
    case "blockquote":
    case "strong":
    case "em":
    case "del": {
      const Tag = token.type;
      return <Tag>{nested}</Tag>;
    }
    case "heading": {
      // The headings of a text are below the headings of the page.
      const Tag = headings[token.depth - 1] ?? "h6";
      return (
        <Tag class={`level-${token.depth}`} dir="auto">
          {nested}
        </Tag>
      );
    }
    case "paragraph":
      return <p dir="auto">{nested}</p>;
    case "list":
      return <List list={token} depth={depth} />;
    case "list_item":
      return (
        <li class={token.task ? "task" : ""} dir="auto">
          {nested}
        </li>
      );
    case "checkbox":
      return (
        <span
          class={`box ${token.checked ? "checked" : ""}`}
          role="img"
          aria-label={token.checked ? "done" : "not done"}
        />
      );
    case "table":
      return <Table table={token} depth={depth} />;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>
            <Shown text={token.text} />
          </code>
        </pre>
      );
    case "codespan":
      return (
        <code>
          <Shown text={token.text} />
        </code>
      );
    case "escape":
      return <Shown text={token.text} />;
    case "image":
      return (
        <span class="picture">
          picture: <Shown text={token.text || token.href} />
        </span>
      );
    case "link":
      return <Link href={token.href}>{nested}</Link>;
    case "text":
      return token.tokens === undefined ? <Shown text={token.raw} /> : nested;
    case "html":
      // The raw text.
      return token.block ? (
        <pre class="raw" tabIndex={0}>
          <Shown text={token.raw} />
        </pre>
      ) : (
        <Shown text={token.raw} />
      );
  }
}

const headings = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

function List({ list, depth }: { list: Tokens.List; depth: number }): VNode {
  const items = <TokenList tokens={list.items} depth={depth} />;
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, depth }: { table: Tokens.Table; depth: number }): VNode {
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map(({ tokens }, index) => (
              <th key={index} scope="col">
                <TokenList tokens={tokens} depth={depth} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map(({ tokens }, column) => (
                <td key={column}>
                  <TokenList tokens={tokens} depth={depth} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Links to another file of the memory, or, in a new tab, to a page of the web. Any other address gets no link. */
function Link({ href, children }: { href: string; children: ComponentChildren }): VNode {
  const { path, createHref } = useContext(LinkContext);
  if (/^(?:https?:\/\/|mailto:)/i.test(href)) {
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
      </a>
    );
  }
  const file = resolveFile(href, path);
  return file === null ? (
    <span class="dead-link" title={href}>
      {children}
    </span>
  ) : (
    <a href={createHref(file)}>{children}</a>
  );
}

/** Finds the file to which a link in another file leads. */
function resolveFile(href: string, path: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|^#|\\/i.test(href)) return null;
  const base = `http://memory${path.split("/").map(encodeURIComponent).join("/")}`;
  if (!URL.canParse(href, base)) return null;
  const { hostname, pathname } = new URL(href, base);
  try {
    return hostname === "memory" ? decodeURIComponent(pathname) : null;
  } catch {
    return null;
  }
}
