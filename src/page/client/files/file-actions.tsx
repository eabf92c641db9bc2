import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ApiError, post } from "../data/api.js";
import { useMemory, useMemoryData } from "../data/memory.js";
import { go } from "../data/route.js";
import { DialogButton } from "../parts/dialog.js";
import { Pending } from "../parts/parts.js";
import { Name } from "../parts/shown.js";
import { SignedDialog } from "../parts/signature.js";

/** Offers to rename and to delete a file. */
export function FileActions({ path }: { path: string }): VNode {
  return (
    <>
      <DialogButton label="Rename…" class="button quiet">
        <RenameDialog path={path} />
      </DialogButton>
      <DialogButton label="Delete…" class="button quiet danger-quiet">
        <DeleteDialog path={path} />
      </DialogButton>
    </>
  );
}

function RenameDialog({ path }: { path: string }): VNode {
  const { href } = useMemory();
  const [to, setTo] = useState(path);
  const isMissing = to === path || to === "";
  return (
    <SignedDialog
      title="Rename this file?"
      act="Rename"
      missing={isMissing ? "Type another path" : null}
      run={async (signed) => {
        const renamed = await post("rename", { ...signed, from: path, to });
        go(href({ path: renamed.path }));
      }}
    >
      <PathField label="New path" value={to} isMissing={isMissing} change={setTo} />
    </SignedDialog>
  );
}

function DeleteDialog({ path }: { path: string }): VNode {
  const { href } = useMemory();
  const { data, error } = useMemoryData("versions", { path });
  return (
    <SignedDialog
      title="Delete this file?"
      act="Delete"
      isDangerous
      missing={data === null ? "Still loading" : null}
      run={async (signed) => {
        await post("delete", { ...signed, path });
        go(href());
      }}
    >
      {data === null ? (
        <Pending error={error} />
      ) : (
        <p>
          This deletes <Name text={path} class="file" />.{" "}
          {data.isKept
            ? "The history keeps its versions, so it can be restored."
            : "This memory has no history, so you cannot undo this."}
        </p>
      )}
    </SignedDialog>
  );
}

/** Creates a file, and opens it. */
export function NewFileButton(): VNode {
  return (
    <DialogButton label="New file…">
      <NewFileDialog />
    </DialogButton>
  );
}

function NewFileDialog(): VNode {
  const { href } = useMemory();
  const [path, setPath] = useState("/");
  const [content, setContent] = useState("");
  const isUnnamed = /^\/*$/.test(path);
  return (
    <SignedDialog
      title="New file"
      act="Create"
      missing={isUnnamed ? "Type a path first" : null}
      run={async (signed) => {
        const { conflict } = await post("write", { ...signed, path, content, digest: null });
        if (conflict !== null)
          throw new ApiError(409, "EEXIST", "There is a file of this path already. Choose another path.");
        go(href({ path: path.startsWith("/") ? path : `/${path}` }));
      }}
    >
      <PathField label="Path" value={path} isMissing={isUnnamed} change={setPath} />
      <label class="field">
        Text
        <textarea rows={10} value={content} onInput={(event) => setContent(event.currentTarget.value)} />
      </label>
    </SignedDialog>
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
