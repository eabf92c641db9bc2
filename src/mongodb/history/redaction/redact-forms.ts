import type { TextOccurrences } from "../../../core/history/history.js";
import type { CheckPath } from "../../../core/history/history-backend.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { TextRedactor } from "../../../core/history/text-redactor.js";
import { logRoles, shortenMessage, toLoggedText } from "../../../core/search/log-lines.js";
import { setLineEnds } from "../../../core/values/line-ends.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import type { HistoryContext } from "../history-context.js";
import { toMemoryVersion } from "../version-document.js";
import { PathSubject } from "./path-subject.js";
import { MemoryRedaction, type ReadView } from "./redact.js";
import { TextSubject } from "./text-subject.js";

/** Redacts the earlier versions of a file, or a text: one of its forms after the other. */
export class FormRedaction {
  readonly #context: HistoryContext;
  readonly #redactions: readonly MemoryRedaction[];

  constructor(
    context: HistoryContext,
    what: { text: string } | { path: string },
    readView: ReadView,
    call: CallContext,
  ) {
    this.#context = context;
    const subjects = "text" in what ? createTextSubjects(what.text) : [new PathSubject(what.path)];
    this.#redactions = subjects.map((subject) => new MemoryRedaction(context, subject, readView, call));
  }

  async find(): Promise<TextOccurrences> {
    const found: Awaited<ReturnType<MemoryRedaction["find"]>>[] = [];
    for (const redaction of this.#redactions) found.push(await redaction.find());
    const versions = new Map(found.flatMap((each) => each.versions.map((version) => [version._id, version])));
    return {
      versions: [...versions.values()].toSorted((a, b) => compareCodeUnits(b._id, a._id)).map(toMemoryVersion),
      proposals: [...new Set(found.flatMap(({ proposals }) => proposals))],
      files: [...new Set(found.flatMap(({ files }) => files))].toSorted(compareCodeUnits),
    };
  }

  /** @returns how many versions were redacted */
  async run(cut: boolean, checkPath: CheckPath | null): Promise<number> {
    for (const redaction of this.#redactions) await redaction.prepare(cut, checkPath);
    const redacted = new Set<string>();
    for (const redaction of this.#redactions) for (const id of await redaction.run(cut, checkPath)) redacted.add(id);
    // In any case: a vector can be of a text that no version has any more.
    await this.#context.removeVectors();
    // Only now: a version may contain several forms.
    for (const redaction of this.#redactions) await redaction.endCovering();
    return redacted.size;
  }
}

function createTextSubjects(text: string): TextSubject[] {
  const forms = listTextForms(text).map((form) => new TextRedactor(form));
  return forms.map((form) => new TextSubject(form, forms));
}

/**
 * Returns the forms in which a memory can contain a text: as it is, and as a conversation log writes it, both with
 * either line end. The longest form comes first, because a shorter one may be a part of it.
 */
export function listTextForms(text: string): string[] {
  const kept = shortenMessage(text);
  const logged = Object.values(logRoles)
    .map((role) => toLoggedText(kept, role))
    .filter((each) => each !== text.trim());
  // A single line keeps its outer white space. Without it, the line would be found in other words, too.
  const texts = [text, ...logged];
  const forms = texts.flatMap((each) => [each, setLineEnds(each, "\n"), setLineEnds(each, "\r\n")]);
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length);
}
