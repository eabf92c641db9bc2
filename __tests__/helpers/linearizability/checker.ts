/** The effect and the times of one call. All times are of one clock. */
export interface Operation<Command> {
  /** Name of the caller, for people. */
  caller: string;
  calledAt: bigint;
  /**
   * Time of the answer. Null if it is unknown whether the call had an effect. The effect may happen at any time after
   * the call began, or never.
   */
  answeredAt: bigint | null;
  command: Command;
  /** The answer in the format of the specification. It has no meaning if the outcome is unknown. */
  answer: string;
}

/** The result of calls that are made one after the other. */
export interface Specification<State, Command> {
  initial: State;
  /** Must not change the given state. */
  step(state: State, command: Command): { state: State; answer: string };
  /** Returns the same key for equal states, and different keys for different states. */
  keyOf(state: State): string;
}

/**
 * Whether one order of the calls explains all answers. In this order, a call that began after another's answer also
 * comes after it.
 */
export type Verdict<Command> =
  | { isLinearizable: true; order: Operation<Command>[] }
  | {
      isLinearizable: false;
      /** The longest order that explains the answers of its calls. */
      longest: Operation<Command>[];
      /** The calls that could come next, each with the answer that it would get. */
      next: { operation: Operation<Command>; expected: string }[];
    };

/**
 * The calls that have taken effect, and the resulting state. Calls with an answer and calls without one are numbered
 * separately.
 */
interface Configuration<State> {
  state: State;
  stateKey: number;
  /** All calls with an answer below this number have taken effect. */
  first: number;
  /** Further calls with an answer that have taken effect, ascending. */
  others: readonly number[];
  /** The calls without an answer that have taken effect, ascending. */
  unknown: readonly number[];
}

interface Candidate {
  number: number;
  isUnknown: boolean;
}

interface Frame<State> {
  configuration: Configuration<State>;
  /** The call that led to this configuration. */
  taken: Candidate | null;
  candidates: Candidate[];
}

/** Number of configurations after which a history counts as too long to be checked. */
const configurationsCeiling = 1_000_000;

/**
 * Searches for an order as Wing and Gong do (JPDC 1993), and visits no configuration twice, which is Lowe's addition
 * (CCPE 2017). Calls with an answer are tried first. A call without an answer is tried only if it changes something,
 * and may be left out.
 * @throws Error for a history that is too long
 */
export function checkLinearizable<State, Command>(
  specification: Specification<State, Command>,
  history: readonly Operation<Command>[],
  maxConfigurations = configurationsCeiling,
): Verdict<Command> {
  const sorted = history.toSorted((a, b) => compare(a.calledAt, b.calledAt));
  const answered = sorted.filter((operation) => operation.answeredAt !== null);
  const unanswered = sorted.filter((operation) => operation.answeredAt === null);
  const operationOf = ({ number, isUnknown }: Candidate): Operation<Command> => {
    const operation = (isUnknown ? unanswered : answered)[number];
    if (operation === undefined) throw new RangeError(`no call has the number ${number}`);
    return operation;
  };
  const stateKeys = new Map<string, number>();
  const numberOf = (state: State): number => {
    const key = specification.keyOf(state);
    const known = stateKeys.get(key) ?? stateKeys.size;
    stateKeys.set(key, known);
    return known;
  };
  // Most configurations have a state that another one had. To make a step again takes most of the time of a search.
  const steps = new Map<string, { state: State; stateKey: number; answer: string }>();
  const takeStep = ({ state: before, stateKey: key }: Configuration<State>, candidate: Candidate) => {
    const name = `${key} ${candidate.number} ${candidate.isUnknown}`;
    const known = steps.get(name);
    if (known !== undefined) return known;
    const { state, answer } = specification.step(before, operationOf(candidate).command);
    const taken = { state, stateKey: numberOf(state), answer };
    steps.set(name, taken);
    return taken;
  };
  const candidatesOf = (configuration: Configuration<State>) => candidatesIn(configuration, answered, unanswered);
  const start: Configuration<State> = {
    state: specification.initial,
    stateKey: numberOf(specification.initial),
    first: 0,
    others: [],
    unknown: [],
  };
  const stack: Frame<State>[] = [{ configuration: start, taken: null, candidates: candidatesOf(start) }];
  const orderOf = (): Operation<Command>[] =>
    stack.flatMap(({ taken }) => (taken === null ? [] : [operationOf(taken)]));
  const visited = new Set([keyOf(start)]);
  let longest: { order: Operation<Command>[]; configuration: Configuration<State> } = {
    order: [],
    configuration: start,
  };
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { configuration, candidates } = frame;
    if (configuration.first === answered.length) return { isLinearizable: true, order: orderOf() };
    const candidate = candidates.shift();
    if (candidate === undefined) {
      if (stack.length - 1 > longest.order.length) longest = { order: orderOf(), configuration };
      stack.pop();
      continue;
    }
    const { answer, ...reached } = takeStep(configuration, candidate);
    if (!candidate.isUnknown && answer !== operationOf(candidate).answer) continue;
    if (candidate.isUnknown && reached.stateKey === configuration.stateKey) continue;
    const next = after(configuration, candidate, reached);
    const key = keyOf(next);
    if (visited.has(key)) continue;
    if (visited.size >= maxConfigurations)
      throw new Error(`the history of ${history.length} calls has too many possible orders`);
    visited.add(key);
    stack.push({ configuration: next, taken: candidate, candidates: candidatesOf(next) });
  }
  const next = candidatesOf(longest.configuration).map((candidate) => ({
    operation: operationOf(candidate),
    expected: takeStep(longest.configuration, candidate).answer,
  }));
  return { isLinearizable: false, longest: longest.order, next };
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Returns the calls that may be next: calls that began before the earliest answer of all calls that have not taken
 * effect. At equal times both orders are possible.
 */
function candidatesIn<Command>(
  { first, others, unknown }: Configuration<unknown>,
  answered: readonly Operation<Command>[],
  unanswered: readonly Operation<Command>[],
): Candidate[] {
  const candidates: Candidate[] = [];
  let earliest: bigint | null = null;
  for (let number = first; number < answered.length; number += 1) {
    const { calledAt = 0n, answeredAt = null } = answered[number] ?? {};
    if (earliest !== null && calledAt > earliest) break;
    if (others.includes(number)) continue;
    candidates.push({ number, isUnknown: false });
    if (answeredAt !== null && (earliest === null || answeredAt < earliest)) earliest = answeredAt;
  }
  for (const [number, { calledAt }] of unanswered.entries()) {
    if (earliest !== null && calledAt > earliest) break;
    if (!unknown.includes(number)) candidates.push({ number, isUnknown: true });
  }
  return candidates;
}

function after<State>(
  before: Configuration<State>,
  { number, isUnknown }: Candidate,
  left: { state: State; stateKey: number },
): Configuration<State> {
  if (isUnknown) return { ...before, ...left, unknown: [...before.unknown, number].toSorted((a, b) => a - b) };
  const others = [...before.others, number].toSorted((a, b) => a - b);
  let { first } = before;
  while (others[0] === first) {
    others.shift();
    first += 1;
  }
  return { ...before, ...left, first, others };
}

function keyOf({ stateKey, first, others, unknown }: Configuration<unknown>): string {
  return `${first} ${others.join()} ${unknown.join()} ${stateKey}`;
}
