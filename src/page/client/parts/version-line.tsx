import type { VNode } from "preact";
import type { WireVersion } from "../../wire.js";
import { Operation, Time } from "./parts.js";
import { Name } from "./shown.js";

/** Shows a version in a list of a dialog. */
export function VersionLine({ version }: { version: WireVersion }): VNode {
  return (
    <>
      <Operation operation={version.operation} /> <Name text={version.path} class="file" />{" "}
      <span class="muted">
        <Time time={version.at} />
      </span>
    </>
  );
}
