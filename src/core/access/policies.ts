import type { ApprovalRequester } from "./approval-requester.js";
import type { MemoryRights } from "./rights.js";
import { mergeActors } from "../values/actor.js";
import { preview } from "../values/text.js";
import { isGraphBubbleUp } from "../values/bubble-up.js";
import { errorOnPath } from "../values/error-paths.js";
import { invalid, MemoryError } from "../values/errors.js";
import {
  type CheckedPolicy,
  type CheckedRule,
  decisions,
  fromTreePath,
  getAccess,
  type GuardedChange,
  type MemoryAccess,
  type MemoryGuard,
  type NeededAccess,
  type SkippedChecks,
} from "./policy.js";
import { joinPaths, ROOT } from "../values/paths.js";
import { getRights, mayAsk } from "./rights.js";

/** All policies of one memory. The narrowest policy decides. */
export class Policies {
  /** Whether paths below a directory may have other rights than the directory. */
  readonly vary: boolean;
  readonly hasGuard: boolean;
  /** Whether some changes need the approval of a person. */
  readonly mayAsk: boolean;
  readonly rights: MemoryRights;
  readonly #policies: readonly CheckedPolicy[];

  constructor(policies: readonly CheckedPolicy[]) {
    this.#policies = policies;
    this.vary = policies.some(({ rules }) => rules.length > 0);
    this.hasGuard = policies.some(({ guard }) => guard !== undefined);
    this.mayAsk = policies.some(mayAsk);
    this.rights = getRights(policies);
  }

  /** @param policies null if everything is allowed so far */
  static join(policies: Policies | null, added: readonly CheckedPolicy[]): Policies {
    return new Policies(policies === null ? added : [...policies.#policies, ...added]);
  }

  get rules(): readonly CheckedRule[] {
    return this.#policies.flatMap(({ rules }) => rules);
  }

  /** Returns the policies for texts that no model chooses. No person is asked about them, and no guard sees them. */
  without(skipped: SkippedChecks): Policies {
    const allow = (access: MemoryAccess): MemoryAccess => (access === "ask" ? "write" : access);
    const policies = this.#policies.map((policy) => ({
      ...policy,
      guard: undefined,
      access: allow(policy.access),
      rules: skipped === "rules" ? [] : policy.rules.map((rule) => ({ ...rule, access: allow(rule.access) })),
    }));
    return new Policies(policies);
  }

  /** Returns null if nobody can be asked. */
  get requester(): ApprovalRequester | null {
    return this.#asking?.requester ?? null;
  }

  /** Returns the form of a path that a person is shown. */
  getTreePath(path: string): string {
    return joinPaths(this.#asking?.mountPoint ?? ROOT, path);
  }

  get #asking(): CheckedPolicy | undefined {
    const asking = this.#policies.filter(({ requester }) => requester !== undefined);
    return asking.find(({ requester }) => requester?.isOfProgram) ?? asking[0];
  }

  /** @param path of the memory. @throws MemoryError EACCES */
  decide(path: string, needed: NeededAccess): "allow" | "ask" {
    let decision: "allow" | "ask" = "allow";
    for (const policy of this.#policies) {
      const access = getAccess(policy, path);
      const own = decisions[access][needed];
      if (own === "deny") throw accessDenied(path, access);
      if (own === "ask") decision = "ask";
    }
    return decision;
  }

  /** Returns the paths that a delete of the root keeps. Undefined for none. */
  get kept(): readonly string[] | undefined {
    const kept = this.#policies.flatMap((policy) =>
      policy.rules.flatMap(({ keeps }) => (keeps === undefined ? [] : (fromTreePath(policy, keeps) ?? []))),
    );
    return kept.length === 0 ? undefined : kept;
  }

  /** Refuses also a change that needs an approval. @throws MemoryError EACCES */
  assertMayWrite(path: string): void {
    if (this.decide(path, "write") === "ask")
      throw refusal(path, 'is changed only if a person approves (access "ask")');
  }

  /**
   * Runs the guards one after the other, and returns the text that they allow. @throws MemoryError EACCES, EINVAL, and
   * the MemoryErrors and interrupts that a guard throws
   */
  async guard(change: GuardedChange): Promise<string> {
    let { content } = change;
    for (const policy of this.#policies) {
      const { guard } = policy;
      if (guard === undefined) continue;
      const actor = mergeActors(change.actor, policy.actor ?? null);
      const answer = await runGuard(guard, {
        ...change,
        path: joinPaths(policy.mountPoint ?? ROOT, change.path),
        content,
        actor,
      });
      if (answer !== undefined && typeof answer !== "string")
        throw invalid(`the guard must answer a text or nothing (given ${preview(answer)})`);
      content = answer ?? content;
    }
    return content;
  }
}

/** Returns the refusal of a change that an access does not allow. */
export function accessDenied(path: string, access: MemoryAccess): MemoryError {
  return refusal(
    path,
    `${access === "read" ? "is read-only here" : "can only be appended to here"} (access "${access}")`,
  );
}

function refusal(path: string, reason: string): MemoryError {
  return errorOnPath("EACCES", path, reason);
}

async function runGuard(guard: MemoryGuard, change: GuardedChange): Promise<unknown> {
  try {
    return await guard(change);
  } catch (cause) {
    if (MemoryError.isInstance(cause) || isGraphBubbleUp(cause)) throw cause;
    const message = cause instanceof Error ? cause.message : preview(cause);
    throw new MemoryError("EACCES", message.startsWith("EACCES") ? message : `EACCES: ${message}`, { cause });
  }
}
