import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { useMemory, useMemoryData } from "../data/memory.js";
import { memoryHref, replace } from "../data/route.js";
import { useIsOwner, useSession } from "../data/session.js";
import { accessWords, bytesText } from "../parts/format.js";
import { Lines } from "../parts/lines.js";
import { Choice, Pending, Time } from "../parts/parts.js";
import { Name } from "../parts/shown.js";
import { BlameView } from "./blame-view.js";
import { Chat } from "./chat.js";
import { Editor } from "./editor.js";
import { FileActions } from "./file-actions.js";
import { type LogRow, parseLogDay } from "../../../conversation/read-log.js";
import { isMarkdown, Markdown, maxMarkdownChars } from "./markdown.js";

const forms = [
  ["text", "Text"],
  ["chat", "Chat"],
  ["markdown", "Markdown"],
  ["blame", "Blame"],
] as const;

type Form = (typeof forms)[number][0];

/** Shows one file: as text, as Markdown, as a chat if it is a day of the log, or with the versions of its lines. */
export function FileView({ path }: { path: string }): VNode {
  const { access } = useSession();
  const isOwner = useIsOwner();
  const { query, href } = useMemory();
  const { at, line, form: requested } = query;
  const moment = at === undefined ? {} : { at };
  const { data: file, error } = useMemoryData("file", { path, ...moment }, at);
  const shown = /^[1-9]\d{0,8}$/.test(line ?? "") ? Number(line) : undefined;
  const chat = useMemo(() => (file?.isInLog === true ? parseLogDay(file.content) : null), [file]);
  // The history of a mounted file is in its own memory.
  const mount = file?.mount ?? null;
  const isOffered: Record<Form, boolean> = {
    text: true,
    chat: chat !== null,
    markdown: chat === null,
    blame: at === undefined && mount === null,
  };
  const readable = chat === null ? chooseForm(path, file) : "chat";
  const form =
    forms.find(([name]) => name === requested && isOffered[name])?.[0] ?? (shown === undefined ? readable : "text");
  const offered = forms
    .filter(([name]) => isOffered[name])
    .map(([name, words]) => [name, name === "blame" && isOwner ? "Who wrote it" : words] as const);
  // A mounted file is changed in its own memory, which has a history and limits of its own.
  const canEdit = access === "write" && at === undefined && mount === null && file !== null;
  const [edited, setEdited] = useState<typeof file>(null);
  const [isGuarded, setGuarded] = useState(false);
  const open = (): void => {
    setEdited(file);
    setGuarded(false);
  };
  const close = (changedTo: string | null): void => {
    setEdited(null);
    setGuarded(changedTo !== null);
  };
  return (
    <>
      <header class="detail-head">
        <a class="back only-narrow" href={href(moment)}>
          Files
        </a>
        <h2>
          <Name text={path} class="path" />
        </h2>
        {file !== null && (
          <span class="muted">
            {bytesText(file.sizeBytes)} · changed <Time time={file.updatedAt} />
            {mount !== null && ` · ${accessWords[mount.access]} here`}
          </span>
        )}
        <span class="tools">
          {canEdit && edited === null && file.content.length <= maxEditChars && (
            <button type="button" class="button" onClick={open}>
              Edit
            </button>
          )}
          {mount === null && (
            <a class="button quiet" href={href({ tab: "history", path })}>
              Versions
            </a>
          )}
          {mount?.isHere === true && mount.address !== null && (
            <a class="button quiet" href={memoryHref(mount.address, { path: path.slice(mount.point.length) })}>
              In its own memory
            </a>
          )}
          {edited === null && (
            <Choice<Form>
              label="Form"
              value={form}
              options={offered}
              choose={(chosen) => replace(href({ ...query, form: chosen }))}
            />
          )}
          {canEdit && edited === null && <FileActions path={path} />}
        </span>
      </header>
      {isGuarded && (
        <p class="note" role="status">
          Saved. The application changed the text before it was stored.
        </p>
      )}
      {edited !== null ? (
        <Editor file={file ?? edited} close={close} />
      ) : (
        <div class="detail-body" tabIndex={0} role="region" aria-label="Text of the file">
          {file === null ? <Pending error={error} /> : <FileText file={file} form={form} chat={chat} shown={shown} />}
        </div>
      )}
    </>
  );
}

/** A text field of a longer text would be slow. */
const maxEditChars = 1_000_000;

function chooseForm(path: string, file: Answers["file"] | null): Form {
  return isMarkdown(path) && (file?.content.length ?? 0) <= maxMarkdownChars ? "markdown" : "text";
}

interface FileTextProps {
  file: Answers["file"];
  form: Form;
  chat: readonly LogRow[] | null;
  /** The line that is scrolled into view. */
  shown: number | undefined;
}

function FileText({ file: { path, content }, form, chat, shown }: FileTextProps): VNode {
  const { query, href } = useMemory();
  if (form === "blame") return <BlameView path={path} />;
  const createHref = (other: string): string => href({ ...query, path: other, line: "" });
  if (form === "chat" && chat !== null) return <Chat rows={chat} path={path} createHref={createHref} />;
  if (form === "markdown") return <Markdown text={content} path={path} createHref={createHref} />;
  return <Lines text={content} shown={shown} />;
}
