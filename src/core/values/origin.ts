/** What a text of a program such as `learn` rests on, as its version keeps it. The program sets it. */
export interface VersionOrigin {
  /** `version:` and `message:` with ids. */
  sources: string[];
  /** The lowest trust of the sources, by who wrote them. */
  trust: "unknown" | "agent" | "person";
}

/** What the proposal of a program rests on. Only the reason is written by a model. */
export interface ChangeOrigin extends VersionOrigin {
  reason: string;
  /** The model that was asked. */
  model: string;
}
