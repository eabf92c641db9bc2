import fc from "fast-check";

const maxInputChars = 2000;

export interface Finding {
  error: string;
  /** The smallest that still fails; missing where no single input is the cause. */
  input?: string;
  /** A command that makes the same calls. */
  repeat: string;
}

export interface TargetReport {
  name: string;
  seed: number;
  cases: number;
  outcomes: Record<string, number>;
  slowestCallMs: number;
  longestSliceMs: number;
  longestSliceSteps: number;
  longestSliceInput: string;
  findings: Finding[];
}

export function formatReport(report: TargetReport): string {
  const { name, seed, cases, slowestCallMs, longestSliceMs, longestSliceSteps, longestSliceInput } = report;
  const outcomes = Object.entries(report.outcomes).toSorted(([, a], [, b]) => b - a);
  return [
    `${name}: ${cases} cases, seed ${seed}, ${report.findings.length} findings`,
    `  outcomes: ${outcomes.map(([outcome, count]) => `${outcome} ${count}`).join(", ")}`,
    `  slowest call: ${Math.round(slowestCallMs)} ms`,
    `  most steps without a pause: ${longestSliceSteps}`,
    `  event loop blocked: ${Math.round(longestSliceMs)} ms at most, by ${cutText(longestSliceInput, 200)}`,
    ...report.findings.map(formatFinding),
  ].join("\n");
}

function formatFinding({ error, input, repeat }: Finding): string {
  const shown = input === undefined ? "" : `\n  input: ${input}`;
  return `FINDING: ${error}${shown}\n  repeat: ${repeat}`;
}

export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return describeInput(error);
  const cause = error.cause === undefined ? "" : `\n  cause: ${describeError(error.cause)}`;
  return cutText(error.stack ?? error.message, maxInputChars) + cause;
}

export function describeInput(input: unknown): string {
  try {
    return cutText(fc.stringify(input), maxInputChars);
  } catch {
    return "(an input that cannot be shown)";
  }
}

function cutText(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}… (${text.length} characters)` : text;
}
