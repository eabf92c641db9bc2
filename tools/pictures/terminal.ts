import { cli } from "../../__tests__/helpers/run-cli.js";
import { storyUser } from "./story.js";

const memory = ["--node", "assistant", "--user", storyUser];

/** What is typed; the database is that of the story. */
const commands = [
  ["search", "is she allergic?", "--limit", "1", ...memory],
  ["diff", "1", "2", ...memory],
];

/** The terminal after some commands on the story, as a drawing. */
export async function pictureTerminal(uri: string, dbName: string): Promise<string> {
  const lines: Line[] = [];
  for (const command of commands) {
    const { exitCode, stdout, stderr } = await cli([...command, "--uri", uri, "--db", dbName]);
    if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
    lines.push({ kind: "typed", text: `langgraph-mongo-memory ${command.map(quoted).join(" ")}` });
    lines.push(
      ...stdout
        .trimEnd()
        .split("\n")
        .map((text): Line => ({ kind: kindOf(text), text })),
      { kind: "plain", text: "" },
    );
  }
  return drawn(lines.slice(0, -1));
}

interface Line {
  kind: "typed" | "plain" | "added" | "removed" | "quiet";
  text: string;
}

function kindOf(text: string): Line["kind"] {
  if (/^(?:---|\+\+\+|@@)/.test(text)) return "quiet";
  return text.startsWith("+") ? "added" : text.startsWith("-") ? "removed" : "plain";
}

function quoted(word: string): string {
  return /[\s?]/.test(word) ? `"${word}"` : word;
}

const rowPx = 21;
const top = 50;
const width = 820;
const colours = {
  typed: "#f4f4f8",
  plain: "#c9c9d4",
  added: "#7fd99a",
  removed: "#ff9d96",
  quiet: "#8a8a99",
} as const satisfies Record<Line["kind"], string>;

function drawn(lines: readonly Line[]): string {
  const height = top + lines.length * rowPx + 12;
  const texts = lines.flatMap(({ kind, text }, index) => {
    if (text === "") return [];
    const prompt = kind === "typed" ? '<tspan fill="#a3adff">$ </tspan>' : "";
    return [
      `<text x="22" y="${top + index * rowPx}" fill="${colours[kind]}" xml:space="preserve">${prompt}${escaped(text)}</text>`,
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" role="img">`,
    "<title>The command line: a search, and the difference between two versions</title>",
    `<rect width="${width}" height="${height}" rx="10" fill="#18181c"/>`,
    ...[22, 40, 58].map((x) => `<circle cx="${x}" cy="20" r="5.5" fill="#3a3a44"/>`),
    ...texts,
    "</svg>",
    "",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
