import { type Panel, plotOf } from "../measuring/log-plot.js";
import type { StoreResult } from "./against-others.js";
import type { OperationName } from "./operations.js";

const shown = ["get hit", "batch of 100 gets", "batch of 100 puts"] as const satisfies OperationName[];

/** Cost against size, of theirs, ours and the driver. */
export function storePlot(results: readonly StoreResult[]): string {
  return plotOf({
    title: "Time of one call against the number of items (median, 1,000 namespaces, 300-byte values)",
    xTitle: "items in the collection",
    yTitle: "milliseconds",
    panels: shown.map((operation) =>
      panelOf(
        operation,
        results.filter((result) => result.operation === operation),
      ),
    ),
  });
}

function panelOf(title: string, results: readonly StoreResult[]): Panel {
  const pointsOf = (timeOf: (result: StoreResult) => number | undefined) =>
    results.flatMap((result) => {
      const y = timeOf(result);
      return y === undefined ? [] : [{ x: result.count, y }];
    });
  return {
    title,
    series: [
      { label: "official MongoDBStore", color: "#c0392b", points: pointsOf(({ official }) => official?.oursMs) },
      { label: "MongoMemoryStore", color: "#1f6feb", points: pointsOf(({ raw }) => raw.oursMs) },
      { label: "driver by hand", color: "#4b5563", dash: "6 4", points: pointsOf(({ raw }) => raw.theirsMs) },
    ],
  };
}
