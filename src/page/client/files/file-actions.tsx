import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ApiError, post } from "../data/api.js";
import { useMemory, useMemoryData } from "../data/memory.js";
import { go } from "../data/route.js";
import { Dialog, DialogButton } from "../parts/dialog.js";
import { Pending } from "../parts/parts.js";
import { Name } from "../parts/shown.js";
import { useSignature } from "../parts/signature.js";

/** Offers to rename and to delete a file. */
export function FileActions({ path }: { path: string }): VNode {
  return (
    <>
      <DialogButton label="Rename…" class="button quiet">
        {(close) => <RenameDialog path={path} close={close} />}
      </DialogButton>
      <DialogButton label="Delete…" class="button quiet danger-quiet">
        {(close) => <DeleteDialog path={path} close={close} />}
      </DialogButton>
    </>
  );
}

interface ActionProps {
  path: string;
  close: () => void;
}

function RenameDialog({ path, close }: ActionProps): VNode {
  const { address, href } = useMemory();
  const { missing, fields, field } = useSignature();
  const [to, setTo] = useState(path);
  const run = async (): Promise<void> => {
    const renamed = await post("rename", { address, from: path, to, ...fields });
    go(href({ path: renamed.path }));
  };
  return (
    <Dialog
      title="Rename this file?"
      act="Rename"
      missing={to === path || to === "" ? "Type another path" : missing}
      run={run}
      close={close}
    >
      <PathField label="New path" value={to} isMissing={to === path || to === ""} change={setTo} />
      {field}
    </Dialog>
  );
}

function DeleteDialog({ path, close }: ActionProps): VNode {
  const { address, href } = useMemory();
  const { data, error } = useMemoryData("delete-preview", { path });
  const { missing, fields, field } = useSignature();
  const run = async (): Promise<void> => {
    await post("delete", { address, path, ...fields });
    go(href());
  };
  return (
    <Dialog
      title="Delete this file?"
      act="Delete"
      isDangerous
      missing={data === null ? "Still loading" : missing}
      run={run}
      close={close}
    >
      {data === null ? (
        <Pending error={error} />
      ) : (
        <p>
          This deletes <Name text={path} class="file" />.{" "}
          {data.isKept
            ? "The history keeps its versions, so it can be restored."
            : "This memory keeps no history, so nothing brings it back."}
        </p>
      )}
      {field}
    </Dialog>
  );
}

/** Creates a file, and opens it. */
export function NewFileButton(): VNode {
  return <DialogButton label="New file…">{(close) => <NewFileDialog close={close} />}</DialogButton>;
}

function NewFileDialog({ close }: { close: () => void }): VNode {
  const { address, href } = useMemory();
  const { missing, fields, field } = useSignature();
  const [path, setPath] = useState("/");
  const [content, setContent] = useState("");
  const isUnnamed = /^\/*$/.test(path);
  const run = async (): Promise<void> => {
    const { conflict } = await post("write", { address, path, content, digest: null, ...fields });
    if (conflict !== null)
      throw new ApiError(409, "EEXIST", "There is a file of this path already. Choose another path.");
    go(href({ path: path.startsWith("/") ? path : `/${path}` }));
  };
  return (
    <Dialog title="New file" act="Create" missing={isUnnamed ? "Type a path first" : missing} run={run} close={close}>
      <PathField label="Path" value={path} isMissing={isUnnamed} change={setPath} />
      <label class="field">
        Text
        <textarea rows={10} value={content} onInput={(event) => setContent(event.currentTarget.value)} />
      </label>
      {field}
    </Dialog>
  );
}

interface PathFieldProps {
  label: string;
  value: string;
  isMissing: boolean;
  change: (path: string) => void;
}

function PathField({ label, value, isMissing, change }: PathFieldProps): VNode {
  return (
    <label class="field">
      {label}
      <input
        type="text"
        value={value}
        maxLength={1024}
        autoComplete="off"
        spellcheck={false}
        data-missing={isMissing ? "" : undefined}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}
