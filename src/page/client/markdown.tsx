import type { Token, Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { basePath } from "./api.js";
import { Lines } from "./lines.js";
import { Loading } from "./parts.js";
import { Shown } from "./shown.js";

/** Longer texts would make too many elements. */
export const maxMarkdownChars = 100_000;

const maxParseMs = 2000;

const maxDepth = 40;

export const isMarkdown = (path: string): boolean => /\.(?:md|markdown)$/i.test(path);

interface Linking {
  path: string;
  hrefOf: (path: string) => string;
}

/**
 * A text as Markdown. Its tokens become nodes, so that no HTML of the text is ever read as such, and no picture is
 * loaded.
 */
export function Markdown({ text, ...linking }: { text: string } & Linking): VNode {
  const tokens = useTokens(text);
  if (tokens === undefined) return <Loading />;
  if (tokens === null) {
    return (
      <>
        <p class="note">Too long, or too hard to read, to show as Markdown.</p>
        <Lines text={text} />
      </>
    );
  }
  return <div class="markdown">{blocks(tokens, linking, 0)}</div>;
}

/** Undefined while the text is parsed; null where that fails or takes too long. */
function useTokens(text: string): Token[] | null | undefined {
  const [parsed, setParsed] = useState<{ text: string; tokens: Token[] | null }>();
  useEffect(() => {
    if (text.length > maxMarkdownChars) {
      setParsed({ text, tokens: null });
      return undefined;
    }
    const worker = new Worker(`${basePath}/markdown.js`);
    const end = (tokens: Token[] | null): void => {
      worker.terminate();
      clearTimeout(timer);
      setParsed({ text, tokens });
    };
    const timer = setTimeout(() => end(null), maxParseMs);
    worker.addEventListener("message", ({ data }: MessageEvent<Token[] | null>) => end(data));
    worker.addEventListener("error", () => end(null));
    worker.postMessage(text);
    return () => {
      worker.terminate();
      clearTimeout(timer);
    };
  }, [text]);
  // While another text is parsed, the earlier one stays, as after a change of the file.
  return parsed?.tokens;
}

function blocks(tokens: readonly Token[] | undefined, linking: Linking, depth: number): ComponentChildren {
  if (depth > maxDepth) return "…";
  return tokens?.map((token, index) => <Block key={index} token={token} linking={linking} depth={depth + 1} />);
}

function Block({ token, linking, depth }: { token: Token; linking: Linking; depth: number }): VNode | null {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr />;
    case "heading": {
      // Below the headings of the page.
      const Heading = `h${Math.min(6, (token as Tokens.Heading).depth + 2)}` as "h3";
      return (
        <Heading class={`level-${(token as Tokens.Heading).depth}`} dir="auto">
          {inline(token.tokens, linking, depth)}
        </Heading>
      );
    }
    case "code":
      return (
        <pre tabIndex={0}>
          <code>
            <Shown text={(token as Tokens.Code).text} />
          </code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{blocks(token.tokens, linking, depth)}</blockquote>;
    case "list":
      return <List list={token as Tokens.List} linking={linking} depth={depth} />;
    case "table":
      return <Table table={token as Tokens.Table} linking={linking} depth={depth} />;
    case "paragraph":
      return <p dir="auto">{inline(token.tokens, linking, depth)}</p>;
    case "text":
      return <>{inline(token.tokens ?? [token], linking, depth)}</>;
    default:
      // HTML, and whatever a later parser knows: as it is written.
      return (
        <pre class="raw" tabIndex={0}>
          <Shown text={token.raw} />
        </pre>
      );
  }
}

function List({ list, linking, depth }: { list: Tokens.List; linking: Linking; depth: number }): VNode {
  const items = list.items.map((item, index) => (
    <li key={index} class={item.task ? "task" : ""} dir="auto">
      {item.task && (
        <span
          class={`box ${item.checked === true ? "checked" : ""}`}
          role="img"
          aria-label={item.checked === true ? "done" : "not done"}
        />
      )}
      {blocks(
        item.tokens.filter(({ type }) => type !== "checkbox"),
        linking,
        depth,
      )}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, linking, depth }: { table: Tokens.Table; linking: Linking; depth: number }): VNode {
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col">
                {inline(cell.tokens, linking, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => (
                <td key={place}>{inline(cell.tokens, linking, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[] | undefined, linking: Linking, depth: number): ComponentChildren {
  if (depth > maxDepth) return "…";
  return tokens?.map((token, index) => <Inline key={index} token={token} linking={linking} depth={depth + 1} />);
}

function Inline({ token, linking, depth }: { token: Token; linking: Linking; depth: number }): VNode {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens, linking, depth)}</strong>;
    case "em":
      return <em>{inline(token.tokens, linking, depth)}</em>;
    case "del":
      return <del>{inline(token.tokens, linking, depth)}</del>;
    case "codespan":
      return (
        <code>
          <Shown text={(token as Tokens.Codespan).text} />
        </code>
      );
    case "br":
      return <br />;
    case "escape":
      return <Shown text={(token as Tokens.Escape).text} />;
    case "image":
      return (
        <span class="picture">
          picture: <Shown text={(token as Tokens.Image).text || (token as Tokens.Image).href} />
        </span>
      );
    case "link":
      return <Link token={token as Tokens.Link} linking={linking} depth={depth} />;
    case "text":
      return token.tokens === undefined ? (
        <Shown text={withoutEntities((token as Tokens.Text).raw)} />
      ) : (
        <>{inline(token.tokens, linking, depth)}</>
      );
    default:
      return <Shown text={token.raw} />;
  }
}

/** Leads to another file of the memory, or, in a tab of its own, to a page of the web. Anything else leads nowhere. */
function Link({ token, linking, depth }: { token: Tokens.Link; linking: Linking; depth: number }): VNode {
  const words = inline(token.tokens, linking, depth);
  if (/^(?:https?:\/\/|mailto:)/i.test(token.href)) {
    return (
      <a href={token.href} target="_blank" rel="noopener noreferrer nofollow" title={token.href}>
        {words}
      </a>
    );
  }
  const file = /^[a-z][a-z0-9+.-]*:|^\/\/|^#|\\/i.test(token.href) ? null : fileAt(token.href, linking.path);
  return file === null ? (
    <span class="dead-link" title={token.href}>
      {words}
    </span>
  ) : (
    <a href={linking.hrefOf(file)}>{words}</a>
  );
}

function fileAt(href: string, path: string): string | null {
  const base = `http://memory${path.split("/").map(encodeURIComponent).join("/")}`;
  if (!URL.canParse(href, base)) return null;
  const { hostname, pathname } = new URL(href, base);
  try {
    return hostname === "memory" ? decodeURIComponent(pathname) : null;
  } catch {
    return null;
  }
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

function withoutEntities(text: string): string {
  return text.replaceAll(
    /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
