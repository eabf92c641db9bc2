import type { CompletedCommand, CompletedValue } from "./completed-command.js";

const functionName = "_langgraph_mongo_memory";

/** Creates the script of bash. @param programs the names that are completed */
export function createBashScript(commands: readonly CompletedCommand[], programs: readonly string[]): string {
  const paths = commands.flatMap(({ words }) => (words.length === 0 ? [] : [toPattern(words)]));
  const values = commands.flatMap(({ words, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap((option) =>
        [option.long, ...(option.short === undefined ? [] : [option.short])].map((flag) =>
          createCase([...words, flag], option),
        ),
      ),
  );
  const options = commands.map(({ words, options: all }) =>
    createCase(words, { choices: all.map(({ long }) => long), isFile: false }),
  );
  const args = commands.map((command) => createCase(command.words, command));
  return `${functionName}() {
  local IFS=$' \\t\\n' current="\${COMP_WORDS[COMP_CWORD]}" command="" words="" files="" word
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$command $word" in
      ${paths.join("|")}) command="$command $word" ;;
    esac
  done
  case "$command \${COMP_WORDS[COMP_CWORD-1]}" in
    ${values.join("\n    ")}
    *)
      case "$current" in
        -*)
          case "$command" in
            ${options.join("\n            ")}
          esac ;;
        *)
          case "$command" in
            ${args.join("\n            ")}
          esac ;;
      esac ;;
  esac
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    IFS=$'\\n'
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F ${functionName} ${programs.join(" ")}
`;
}

/** zsh runs the script of bash. */
export function createZshScript(commands: readonly CompletedCommand[], programs: readonly string[]): string {
  const start = "(( $+functions[compdef] )) || { autoload -U +X compinit && compinit }\n";
  return `${start}autoload -U +X bashcompinit && bashcompinit\n` + createBashScript(commands, programs);
}

/** A path of commands begins with a space, as the function builds it. */
function toPattern(words: readonly string[]): string {
  return `"${words.map((word) => ` ${word}`).join("")}"`;
}

function createCase(words: readonly string[], { choices, isFile }: CompletedValue): string {
  return `${toPattern(words)}) words="${choices.join(" ")}"${isFile ? " files=1" : ""} ;;`;
}
