import type { Command } from "commander";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { aboutProposal, reviewerOf, showingConflict, withProposal } from "../proposals/with-proposals.js";
import { addTargetOptions, type TargetOptions } from "../targets/target-options.js";
import { proposalLine } from "./proposals.js";

interface ApproveOptions extends TargetOptions {
  by: string;
  json?: boolean;
}

export function addApprove(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "approve <id>",
    "Make a change that an agent proposes, once. Refuses if somebody has already decided, or if the file has changed since. Then it shows what the change would be now.",
    ["approve 0f3c --by ada@example.com --node assistant"],
  ).requiredOption("--by <person>", "who approves it");
  addTargetOptions(command).action(async (id: string, options: ApproveOptions) => {
    const by = reviewerOf(options.by);
    await withProposal(context, options, id, async ({ proposals }) => {
      const approve = (): ReturnType<typeof proposals.approve> =>
        showingConflict(context, options, id, () => proposals.approve(id, { by }));
      const approved = await aboutProposal(`proposal ${id}`, approve);
      return options.json
        ? context.out.json({ ok: true, proposal: approved })
        : context.out.line(proposalLine(approved, context.out));
    });
  });
}
