import { checkLinearizable, type Operation, type Verdict } from "./checker.js";
import { type Command, memorySpecification } from "./memory-commands.js";

/**
 * Checks calls of one memory, which was empty at first. Calls on paths that cannot affect each other are checked
 * separately.
 */
export function checkMemoryHistory(history: readonly Operation<Command>[]): Verdict<Command> {
  const order: Operation<Command>[] = [];
  for (const part of partsOf(history)) {
    const verdict = checkLinearizable(memorySpecification, part);
    if (!verdict.isLinearizable) return verdict;
    order.push(...verdict.order);
  }
  return { isLinearizable: true, order };
}

/**
 * Splits calls into groups, so that no path of a group is inside a path of another group. A history is linearizable if
 * each part is (Herlihy and Wing, TOPLAS 1990), and parts take much less time. A list, a snapshot or a rename of a
 * directory keeps all calls inside this directory together.
 */
export function partsOf(history: readonly Operation<Command>[]): Operation<Command>[][] {
  const groups: { paths: Set<string>; operations: Operation<Command>[] }[] = [];
  for (const operation of history) {
    const paths = pathsOf(operation.command);
    const touched = groups.filter((group) =>
      paths.some((path) => [...group.paths].some((other) => isWithin(path, other) || isWithin(other, path))),
    );
    const [joined = { paths: new Set<string>(), operations: [] }, ...rest] = touched;
    if (touched.length === 0) groups.push(joined);
    for (const group of rest) {
      groups.splice(groups.indexOf(group), 1);
      for (const path of group.paths) joined.paths.add(path);
      joined.operations.push(...group.operations);
    }
    for (const path of paths) joined.paths.add(path);
    joined.operations.push(operation);
  }
  return groups.map(({ operations }) => operations);
}

const pathsOf = (command: Command): string[] =>
  command.name === "rename" ? [command.path, command.to] : [command.path];
const isWithin = (path: string, directory: string): boolean =>
  directory === "/" || path === directory || path.startsWith(`${directory}/`);

/** Returns undefined if the history is linearizable, otherwise an explanation for people. */
export function faultOf(history: readonly Operation<Command>[]): string | undefined {
  const verdict = checkMemoryHistory(history);
  if (verdict.isLinearizable) return undefined;
  const shown = ({ caller, calledAt, answeredAt, command, answer }: Operation<Command>): string =>
    `${caller} ${calledAt}–${answeredAt ?? "?"} ${JSON.stringify(command)} → ${answeredAt === null ? "unknown" : answer}`;
  return [
    `no order explains ${history.length} calls. After`,
    ...verdict.longest.slice(-12).map(shown),
    "none of these can be next:",
    ...verdict.next.map(({ operation, expected }) => `${shown(operation)}, but would be ${expected}`),
  ].join("\n");
}
