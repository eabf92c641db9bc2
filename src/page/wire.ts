/*
 * What the page and its client send each other, as JSON: times are texts. Types only, as the client is built apart.
 */

import type { MemoryProposal } from "../core/approval/memory-proposals.js";
import type { MemoryVersion } from "../core/history/history.js";
import type { MemoryActor } from "../core/values/actor.js";

type Json<T> = T extends Date ? string : T extends object ? { [Name in keyof T]: Json<T[Name]> } : T;

export type WireActor = MemoryActor;
export type WireVersion = Json<MemoryVersion>;
export type WireProposal = Json<Omit<MemoryProposal, "content" | "oldContent" | "diff" | "base">>;
export type WireFullProposal = Json<Omit<MemoryProposal, "diff">> & { hunks: WireHunk[] };

export interface WireAddress {
  nodeId: string;
  scope: "global" | "perThread" | "perUser";
  threadId?: string;
  userId?: string;
}

export interface WireError {
  error: { code: string; message: string };
}

export interface WireSession {
  access: "read" | "write";
  /** Who decides, where the server knows it; else the client asks. */
  userId: string | null;
}

export interface WireSummary {
  address: WireAddress;
  sizeBytes: number;
  files: number;
  createdAt: string;
  updatedAt: string;
}

export interface WireMemories {
  memories: WireSummary[];
  /** Where the next page begins; null at the end. */
  next: number | null;
}

/** Changes with every change of the memory. Null: it is empty, or was never written. */
export interface WireChangeToken {
  changeToken: string | null;
}

/** A memory that is mounted in another one. */
export interface WireMount {
  /** The mount point. */
  point: string;
  address: WireAddress;
  /** Whether the page shows the memory by itself too: it is one of MongoDB. */
  isHere: boolean;
  access: "read" | "append" | "write" | "ask";
  description: string | null;
}

export interface WireEntries {
  entries: { name: string; kind: "file" | "dir"; mount?: WireMount }[];
  /** How many there are in the directory. */
  total: number;
  /**
   * What may be done where, in words; "" where everything may be done everywhere, and for other directories than the
   * root.
   */
  rights: string;
}

export interface WireFile {
  path: string;
  content: string;
  sizeBytes: number;
  createdAt: string;
  updatedAt: string;
  /** The mounted memory in which it lies. */
  mount: WireMount | null;
}

export interface WireHit {
  path: string;
  /** From 1; of a passage of several lines the first. */
  line: number;
  text: string;
  /** Of ranked words: more is better. */
  score?: number;
}

export interface WireHits {
  hits: WireHit[];
  /** Whether there are more. */
  more: boolean;
}

/** What was found in several memories. */
export interface WireFound {
  found: { memory: WireSummary; hits: WireHit[] }[];
  /** How many memories were searched. */
  searched: number;
  /** Where the next ones begin; null at the end. */
  next: number | null;
}

export interface WireVersions {
  /** False: nothing records what happens in the memory. */
  isKept: boolean;
  versions: WireVersion[];
  /** The last of these versions, from which on the next page goes; null at the end. */
  next: string | null;
}

/** A piece of a difference. Starts are from 1; 0 in what has no numbers. */
export interface WireHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each begins with its sign. */
  lines: string[];
  /** Why the hunk is as it is. */
  note?: string;
}

export interface WireChange {
  version: WireVersion;
  /** None where no text changed. Null where a text is redacted or no longer kept. */
  hunks: WireHunk[] | null;
}

export interface WireBlame {
  /** The lines in order, in runs of one version; -1 stands for a version that is no longer kept. */
  runs: { version: number; lines: string[] }[];
  versions: WireVersion[];
}

export interface WireProposals {
  proposals: WireProposal[];
  more: boolean;
}

export interface WireMessage {
  /** Null: nothing is shown to the model. */
  text: string | null;
  usedChars: number;
  maxChars: number;
  /** What was asked for, and what fitted. */
  content: "tree" | "index" | "full";
  view: "tree" | "index" | "full" | null;
  entries: number;
  /** Whether there are more than so many `entries`. */
  isMore: boolean;
  leftOut: number;
  isMoreLeftOut: boolean;
  /** Whose memory it shows: the global one stands in where the memory itself is empty. */
  scope: WireAddress["scope"];
}

/** What a revert would do. */
export interface WireRevertPreview {
  /** Of one file: the difference that it would make. Null for a run, whose changes are `versions`. */
  hunks: WireHunk[] | null;
  /** What would be undone. */
  versions: WireVersion[];
}

export interface WireReverted {
  versions: WireVersion[];
}

export interface WireRedactPreview {
  /** The version, and others that hold the same text. */
  versions: WireVersion[];
}

export interface WireForgetPreview {
  memories: WireSummary[];
  /** Counted up to a limit. */
  count: number;
  files: number;
  more: boolean;
}

export interface WireForgotten {
  memories: number;
  files: number;
  versions: number;
  proposals: number;
}
