/** Where one side's points lie; sides are told apart by colour and dash. */
export interface Series {
  label: string;
  color: string;
  dash?: string;
  points: { x: number; y: number }[];
}

export interface Panel {
  title: string;
  series: Series[];
}

export interface PlotOptions {
  title: string;
  xTitle: string;
  yTitle: string;
  panels: Panel[];
}

const panelWidth = 380;
const panelHeight = 320;
const margin = { left: 74, right: 40, top: 72, bottom: 92 };
const ink = "#1f2933";
const gridInk = "#d9dee3";

/** Panels side by side, both axes logarithmic and alike in all panels, so that heights can be compared. */
export function plotOf({ title, xTitle, yTitle, panels }: PlotOptions): string {
  const points = panels.flatMap(({ series }) => series.flatMap((one) => one.points));
  const xScale = logScale(points.map(({ x }) => x));
  const yScale = logScale(points.map(({ y }) => y));
  const width = panels.length * (margin.left + panelWidth + margin.right);
  const height = margin.top + panelHeight + margin.bottom;
  const drawn = panels.map((panel, index) => {
    const left = margin.left + index * (margin.left + panelWidth + margin.right);
    const xOf = (x: number): number => left + xScale.shareOf(x) * panelWidth;
    const yOf = (y: number): number => margin.top + (1 - yScale.shareOf(y)) * panelHeight;
    return [
      text(left + panelWidth / 2, margin.top - 14, panel.title, { size: 15, bold: true }),
      ...yScale.ticks.flatMap((tick) => [
        line([left, yOf(tick)], [left + panelWidth, yOf(tick)], gridInk),
        text(left - 8, yOf(tick) + 4, numberText(tick), { anchor: "end" }),
      ]),
      ...xScale.ticks.flatMap((tick) => [
        line([xOf(tick), margin.top], [xOf(tick), margin.top + panelHeight], gridInk),
        text(xOf(tick), margin.top + panelHeight + 20, numberText(tick)),
      ]),
      line([left, margin.top + panelHeight], [left + panelWidth, margin.top + panelHeight], ink),
      line([left, margin.top], [left, margin.top + panelHeight], ink),
      text(left + panelWidth / 2, margin.top + panelHeight + 44, xTitle),
      verticalText(left - 54, margin.top + panelHeight / 2, yTitle),
      ...panel.series.map((series) => curve(series, xOf, yOf)),
    ].join("\n");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
      `font-family="Helvetica, Arial, sans-serif" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(width / 2, 28, title, { size: 17, bold: true }),
    ...drawn,
    ...legend(panels[0]?.series ?? [], width / 2, height - 20),
    "</svg>",
    "",
  ].join("\n");
}

function curve({ color, dash, points }: Series, xOf: (x: number) => number, yOf: (y: number) => number): string {
  const places = points.map(({ x, y }) => [xOf(x), yOf(y)] as const);
  const path = places.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const dots = places.map(([x, y]) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="4" fill="${color}"/>`);
  const dashes = dash === undefined ? "" : ` stroke-dasharray="${dash}"`;
  return [`<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2.5"${dashes}/>`, ...dots].join("\n");
}

function legend(series: readonly Series[], center: number, y: number): string[] {
  const entryWidth = 220;
  return series.flatMap(({ label, color, dash }, index) => {
    const x = center + (index - series.length / 2) * entryWidth;
    const sample = line([x, y - 4], [x + 36, y - 4], color, { width: 2.5, ...(dash !== undefined && { dash }) });
    return [
      sample,
      `<circle cx="${x + 18}" cy="${y - 4}" r="4" fill="${color}"/>`,
      text(x + 44, y, label, { anchor: "start" }),
    ];
  });
}

/** From one power of ten to another. */
function logScale(values: readonly number[]): { ticks: number[]; shareOf: (value: number) => number } {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
  return { ticks, shareOf: (value) => (Math.log10(value) - first) / (last - first) };
}

function numberText(value: number): string {
  return value >= 1 ? value.toLocaleString("en-US") : String(Number(value.toPrecision(1)));
}

type Place = readonly [x: number, y: number];

function line([x1, y1]: Place, [x2, y2]: Place, color: string, { width = 1, dash = "" } = {}): string {
  const dashes = dash === "" ? "" : ` stroke-dasharray="${dash}"`;
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${color}" stroke-width="${width}"${dashes}/>`;
}

function text(x: number, y: number, content: string, { size = 13, bold = false, anchor = "middle" } = {}): string {
  const weight = bold ? ' font-weight="bold"' : "";
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${ink}" text-anchor="${anchor}"${weight}>${escaped(content)}</text>`;
}

function verticalText(x: number, y: number, content: string): string {
  return `<text transform="translate(${x} ${y}) rotate(-90)" font-size="13" fill="${ink}" text-anchor="middle">${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
