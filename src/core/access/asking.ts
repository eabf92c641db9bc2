import type { MemoryActor } from "../values/actor.js";
import type { CheckedAddress } from "../values/address.js";
import type { ChangeCommand } from "../contract/change-record.js";

/** `interrupt`: the run waits for a person. `propose`: the run goes on, and a person decides later. */
export type OnAsk = "interrupt" | "propose";

/** The request of LangChain's `humanInTheLoopMiddleware`, for one change. */
export interface ReviewRequest {
  actionRequests: [{ name: string; args: Record<string, string>; description: string }];
  reviewConfigs: [{ actionName: string; allowedDecisions: ("approve" | "edit" | "reject")[] }];
}

/** How a person is asked about changes. It comes from above, because the core knows no runs. */
export interface Asking {
  readonly onAsk: OnAsk;
  readonly actor: MemoryActor | null;
  /** Null outside of a run. */
  question(about: { command: ChangeCommand; path: string; address: CheckedAddress }): Question | null;
}

/** One change that a person is asked about, by one call in a run. */
export interface Question {
  /** The same whenever the same step of the run is taken again; no other change has it. */
  readonly id: string;
  /** Whether the run can wait for an answer. */
  readonly canWait: boolean;
  /** The tool that was called. */
  readonly toolName: string;
  /**
   * What a person has answered; throws what ends the run where nobody has yet.
   * @param askedAt which interrupt asked exactly this; null: none did. Only its answer counts
   * @param remember is told which interrupt asks now, just before it does
   */
  answer(
    request: ReviewRequest,
    askedAt: number | null,
    remember: (askedAt: number) => Promise<void>,
  ): Promise<unknown>;
}
