import type { VNode } from "preact";
import type { Version } from "../data/types.js";
import { Operation, Time } from "./parts.js";
import { Name } from "./shown.js";

/** Lists versions in a dialog. */
export function VersionList({ versions }: { versions: readonly Version[] }): VNode {
  return (
    <ul class="preview-list">
      {versions.map(({ id, operation, path, at }) => (
        <li key={id}>
          <Operation operation={operation} /> <Name text={path} class="file" />{" "}
          <span class="muted">
            <Time time={at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
