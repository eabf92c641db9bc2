import type { Command } from "commander";
import { maxReasonChars } from "../../core/approval/decision.js";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { usageFault } from "../fault.js";
import { aboutProposal, reviewerOf, withProposal } from "../proposals/with-proposals.js";
import { addTargetOptions, type TargetOptions } from "../targets/target-options.js";
import { proposalLine } from "./proposals.js";

interface RejectOptions extends TargetOptions {
  by: string;
  reason?: string;
  json?: boolean;
}

export function addReject(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "reject <id>",
    "Refuse a change that an agent proposes. The memory stays as it is. If somebody has already decided, the command is refused.",
    ['reject 0f3c --by ada@example.com --reason "not from a customer" --node assistant'],
  )
    .requiredOption("--by <person>", "who rejects it")
    .option("--reason <text>", "why, for the record");
  addTargetOptions(command).action(async (id: string, options: RejectOptions) => {
    const { reason } = options;
    const by = reviewerOf(options.by);
    if (reason !== undefined && reason.length > maxReasonChars)
      throw usageFault(`--reason has ${reason.length} characters, of ${maxReasonChars} at most`);
    await withProposal(context, options, id, async ({ proposals }) => {
      const rejected = await aboutProposal(`proposal ${id}`, () =>
        proposals.reject(id, { by, ...(reason !== undefined && { reason }) }),
      );
      return options.json
        ? context.out.json({ ok: true, proposal: rejected })
        : context.out.line(proposalLine(rejected, context.out));
    });
  });
}
