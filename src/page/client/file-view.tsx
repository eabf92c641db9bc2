import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { WireAddress, WireFile } from "../wire.js";
import { useData } from "./api.js";
import { BlameView } from "./blame-view.js";
import { accessWords, bytesText } from "./format.js";
import { Lines } from "./lines.js";
import { isMarkdown, Markdown, maxMarkdownChars } from "./markdown.js";
import { Choice, Fault, Loading, Time } from "./parts.js";
import { fieldsOf, memoryHref, type Query, replace } from "./route.js";
import { Name } from "./shown.js";

type Form = "text" | "markdown" | "blame";

/** One file, as text, as Markdown, or with the versions that its lines come from. */
export function FileView({
  address,
  query,
  path,
  version,
}: {
  address: WireAddress;
  query: Query;
  path: string;
  version: string;
}): VNode {
  const { at } = query;
  const line = /^[1-9]\d{0,8}$/.test(query["line"] ?? "") ? Number(query["line"]) : undefined;
  const { data: file, error } = useData<WireFile>(
    "file",
    { ...fieldsOf(address), path, ...(at !== undefined && { at }) },
    version,
  );
  const form = formOf(query["form"] ?? (line === undefined ? undefined : "text"), path, file);
  // What is mounted has its history in its own memory.
  const mount = file?.mount ?? null;
  const forms = [
    ["text", "Text"],
    ["markdown", "Markdown"],
    ...(at === undefined && mount === null ? [["blame", "Blame"] as const] : []),
  ] as const;
  return (
    <>
      <header class="detail-head">
        <a class="back only-narrow" href={memoryHref(address, at === undefined ? {} : { at })}>
          Files
        </a>
        <h2>
          <Path path={path} />
        </h2>
        {file !== null && (
          <span class="muted">
            {bytesText(file.sizeBytes)} · changed <Time time={file.updatedAt} />
            {mount !== null && ` · ${accessWords[mount.access]} here`}
          </span>
        )}
        <span class="tools">
          {file !== null && <CopyButton text={file.content} />}
          {mount === null && (
            <a class="button quiet" href={memoryHref(address, { tab: "history", path })}>
              Versions
            </a>
          )}
          {mount?.isHere === true && (
            <a class="button quiet" href={memoryHref(mount.address, { path: path.slice(mount.point.length) })}>
              In its own memory
            </a>
          )}
          <Choice<Form>
            label="Form"
            value={form}
            options={forms}
            choose={(chosen) => replace(memoryHref(address, { ...query, form: chosen }))}
          />
        </span>
      </header>
      <div class="detail-body" tabIndex={0} role="region" aria-label="Text of the file">
        {error !== null && <Fault error={error} />}
        {file === null && error === null && <Loading />}
        {file !== null && form === "text" && <Lines text={file.content} shown={line} />}
        {file !== null && form === "markdown" && (
          <Markdown
            text={file.content}
            path={path}
            hrefOf={(other) => memoryHref(address, { ...query, path: other, line: "" })}
          />
        )}
        {file !== null && form === "blame" && <BlameView address={address} path={path} version={version} />}
      </div>
    </>
  );
}

function formOf(asked: string | undefined, path: string, file: WireFile | null): Form {
  if (asked === "text" || asked === "blame" || asked === "markdown") return asked;
  return isMarkdown(path) && (file?.content.length ?? 0) <= maxMarkdownChars ? "markdown" : "text";
}

function Path({ path }: { path: string }): VNode {
  const names = path.split("/").slice(1);
  return (
    <span class="path">
      {names.map((name, index) => (
        <span key={index} class={index === names.length - 1 ? "last" : ""}>
          /<Name text={name} />
        </span>
      ))}
    </span>
  );
}

function CopyButton({ text }: { text: string }): VNode {
  const [words, setWords] = useState("Copy");
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setWords("Copied"),
      () => setWords("Not allowed"),
    );
    setTimeout(() => setWords("Copy"), 1500);
  };
  return (
    <button type="button" class="button quiet" onClick={copy}>
      <span aria-live="polite">{words}</span>
    </button>
  );
}
