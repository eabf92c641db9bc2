import { Option } from "commander";
import { maxReasonChars } from "../../../core/approval/decision.js";
import { pickDefined } from "../../defined.js";
import { usageError } from "../../errors.js";
import { decisionCommand, type DecisionInput } from "./proposal-command.js";

export const reject = decisionCommand<DecisionInput & { reason?: string }>({
  usage: "reject <id>",
  description:
    "Refuse a change that an agent proposes. The memory stays as it is. If somebody has already decided, the command is refused.",
  examples: ['reject 0f3c --by ada@example.com --reason "not from a customer" --node assistant'],
  act: "rejects",
  options: [
    new Option("--reason <text>", "why, for the record").argParser((given: string) => {
      if (given.length <= maxReasonChars) return given;
      throw usageError(`--reason has ${given.length} characters, of ${maxReasonChars} at most`);
    }),
  ],
  decide: (proposals, { id, by, reason }) => proposals.reject(id, { by, ...pickDefined({ reason }) }),
});
