/** A line of a tree. */
export interface TreeRow {
  depth: number;
  kind: "memory" | "other";
  name: string;
  facts: readonly string[];
}

const width = 880;
const rowHeight = 38;
const indent = 28;
const top = 64;

const colours = {
  memory: { fill: "#ecfdf5", stroke: "#059669" },
  other: { fill: "#ffffff", stroke: "#94a3b8" },
} as const;

/** A tree as SVG, the same for the same rows. */
export function treePicture(title: string, rows: readonly TreeRow[]): string {
  const height = top + rows.length * rowHeight + 16;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title" font-family="system-ui, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif">`,
    `  <title id="title">${escaped(title)}</title>`,
    "  <!-- A background of its own: the page behind it may be light or dark. -->",
    `  <rect x="1" y="1" width="${width - 2}" height="${height - 2}" rx="14" fill="#f8fafc" stroke="#cbd5e1" stroke-width="2"/>`,
    `  <text x="24" y="38" font-size="17" font-weight="600" fill="#0f172a">${escaped(title)}</text>`,
    ...rows.map((row, index) => rowPicture(row, top + index * rowHeight)),
    "</svg>",
  ].join("\n")}\n`;
}

function rowPicture({ depth, kind, name, facts }: TreeRow, y: number): string {
  const x = 24 + depth * indent;
  const { fill, stroke } = colours[kind];
  const elbow =
    depth === 0
      ? ""
      : `<path d="M${x - indent + 12} ${y - 8} v${rowHeight / 2 + 4} h${indent - 14}" fill="none" stroke="#94a3b8" stroke-width="1.5"/>`;
  const box = `<rect x="${x}" y="${y}" width="${width - 24 - x}" height="30" rx="8" fill="${fill}" stroke="${stroke}" stroke-width="1.5"/>`;
  const label = `<text x="${x + 12}" y="${y + 20}" font-size="14" fill="#0f172a"><tspan font-weight="600">${escaped(name)}</tspan>${facts.map(factPicture).join("")}</text>`;
  return `  <g>${elbow}${box}${label}</g>`;
}

function factPicture(fact: string): string {
  return `<tspan dx="12" font-size="13" fill="#475569">${escaped(fact)}</tspan>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
