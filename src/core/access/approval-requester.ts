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

/** How a person is asked to approve changes. A caller of the core provides it, because the core knows no runs. */
export interface ApprovalRequester {
  readonly onAsk: OnAsk;
  readonly actor: MemoryActor | null;
  /** Null outside of a run. */
  createRequest(change: { command: ChangeCommand; path: string; address: CheckedAddress }): ApprovalRequest | null;
}

/** One change that needs approval, made by one call in a run. */
export interface ApprovalRequest {
  /** The same whenever the same step of the run is taken again; no other change has it. */
  readonly id: string;
  /** Whether the run can wait for an answer. */
  readonly canWait: boolean;
  /** The tool that was called. */
  readonly toolName: string;
  /**
   * Returns what a person has answered. Until there is an answer, throws what ends the run.
   * @param askedAt which interrupt requested exactly this; null for none. Only its answer counts
   * @param remember gets the number of the interrupt just before it is made
   */
  answer(
    request: ReviewRequest,
    askedAt: number | null,
    remember: (askedAt: number) => Promise<void>,
  ): Promise<unknown>;
}
