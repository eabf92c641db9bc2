import type { Answers } from "../../answers.js";

/** The memory that the address of the browser names. */
export interface Address {
  nodeId: string;
  scope: "global" | "perThread" | "perUser";
  threadId?: string;
  userId?: string;
}

// Parts of what the page answers.

export type Summary = Answers["memories"]["memories"][number];
export type Entry = Answers["tree"]["entries"][number];
export type ShownMount = NonNullable<Entry["mount"]>;
export type PageHit = Answers["search"]["hits"][number];
export type Version = Answers["versions"]["versions"][number];
export type Actor = NonNullable<Version["actor"]>;
export type Hunk = NonNullable<Answers["change"]["hunks"]>[number];
export type Origin = NonNullable<Answers["proposal"]["origin"]>;
export type Proposal = Answers["proposals"]["proposals"][number];
