import { InvalidNamespaceError } from "@langchain/langgraph-checkpoint";
import { shorten } from "../../core/values/text.js";

const maxMessageChars = 1024;

/**
 * Refuses namespaces that the reference refuses inside a batch, and those that could not be stored unchanged.
 * @throws InvalidNamespaceError
 */
export function checkNamespace(namespace: unknown, options: { allowEmpty?: boolean } = {}): string[] {
  const labels = checkLabels(namespace);
  if (labels.length === 0 && options.allowEmpty !== true) throw new InvalidNamespaceError("Namespace cannot be empty.");
  if (labels.includes("") || /[.:\0]/.test(labels.join()))
    throw new InvalidNamespaceError(shorten(findError(labels), maxMessageChars));
  return labels;
}

/**
 * Applies the rules and messages of the reference, which exports its own check only since
 * @langchain/langgraph-checkpoint 1.1.6.
 */
function findError(labels: readonly string[]): string {
  for (const label of labels) {
    if (label.includes("."))
      return (
        `Invalid namespace label '${label}' found in ${labels.join()}. Namespace labels cannot contain periods ` +
        "('.')."
      );
    if (label.includes(":")) return `Invalid namespace label '${label}'. Namespace labels cannot contain colons (':').`;
    if (label.includes("\0")) return "Namespace labels cannot contain NUL bytes.";
    if (label === "") break;
  }
  return `Namespace labels cannot be empty strings. Got  in ${labels.join()}`;
}

/** Checks labels that are only compared. The reference only requires strings. @throws InvalidNamespaceError */
export function checkLabels(labels: unknown): string[] {
  if (!Array.isArray(labels)) {
    throw new InvalidNamespaceError(`A namespace must be an array of strings, but got ${typeof labels}.`);
  }
  // `Array.from` reads the holes of an array, too.
  const copy = Array.from<unknown>(labels);
  if (!copy.every((label) => typeof label === "string")) {
    const other = copy.find((label) => typeof label !== "string");
    throw new InvalidNamespaceError(`Namespace labels must be strings, but got ${typeof other}.`);
  }
  if (!copy.join().isWellFormed()) {
    throw new InvalidNamespaceError("Namespace labels must be well-formed Unicode (one holds a lone surrogate).");
  }
  return copy;
}
