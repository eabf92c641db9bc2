import type { MemoryActor, ChangeOrigin } from "../values/actor.js";
import type { CheckedAddress } from "../values/address.js";
import type { ChangeCommand } from "../contract/change-record.js";

/** `interrupt`: the run waits for a person. `propose`: the run goes on, and a person decides later. */
export type OnAsk = "interrupt" | "propose";

/** A request for one change, in the form of LangChain's `humanInTheLoopMiddleware`. */
export interface ReviewRequest {
  actionRequests: [{ name: string; args: Record<string, string>; description: string }];
  reviewConfigs: [{ actionName: string; allowedDecisions: ("approve" | "edit" | "reject")[] }];
}

/** Requests approvals from a person. A caller of the core provides the object, because the core knows no runs. */
export interface ApprovalRequester {
  readonly onAsk: OnAsk;
  /** Set for a program that proposes all its changes. It comes before the requester of a run. */
  readonly isOfProgram?: true;
  readonly actor: MemoryActor | null;
  /** Returns null outside of a run. */
  createRequest(change: { command: ChangeCommand; path: string; address: CheckedAddress }): ApprovalRequest | null;
}

/** One change that needs approval, made by one call in a run. */
export interface ApprovalRequest {
  /** Stays the same when the run repeats this step. No other change has the same id. */
  readonly id: string;
  /** Whether the run can wait for an answer. */
  readonly canWait: boolean;
  /** The tool that was called. */
  readonly toolName: string;
  /** The sources of a proposal of a program. */
  readonly origin?: ChangeOrigin | undefined;
  /** The proposal of a program is only checked: everything refuses it as usual, and nothing is stored. */
  readonly isCheck?: boolean | undefined;
  /**
   * Lets a resumed run go on under the id with which it was interrupted, unless the program gives it an id. Returns the
   * id of the run. Undefined for a program.
   */
  readonly continueRun?: (runId: string | undefined) => string | undefined;
  /**
   * Returns the answer of a person. Until there is an answer, throws the error that ends the run.
   * @param askedAt number of the interrupt that requested exactly this change, or null. Only its answer counts
   * @param remember receives the number of the interrupt just before it is made
   */
  answer(
    request: ReviewRequest,
    askedAt: number | null,
    remember: (askedAt: number) => Promise<void>,
  ): Promise<unknown>;
}
