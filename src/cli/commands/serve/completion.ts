import { type AddCommand, createCommand, programName, shortName } from "../../command.js";
import { createBashScript, createZshScript } from "../../completion/bash-script.js";
import { collectCommands } from "../../completion/completed-command.js";
import { createFishScript } from "../../completion/fish-script.js";

const createScript = { bash: createBashScript, zsh: createZshScript, fish: createFishScript } as const;

type Shell = keyof typeof createScript;

export const completion: AddCommand = (program, context) =>
  createCommand<{ shell: Shell }>({
    usage: "completion <shell>",
    description:
      "Print a script that makes a shell complete commands, options and their values. It needs the program on the PATH.",
    examples: [
      `eval "$(${programName} completion bash)"`,
      `eval "$(${programName} completion zsh)"`,
      "completion fish | source",
    ],
    choices: { shell: Object.keys(createScript) },
    run: async ({ shell }) => {
      const script = createScript[shell](collectCommands(program), [programName, shortName]);
      return { json: { shell, script }, text: script };
    },
  })(program, context);
