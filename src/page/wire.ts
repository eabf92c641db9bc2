/*
 * The data that the page and its client exchange, as JSON: times are texts. This module has types only, because the
 * client is built separately.
 */

import type { MemoryProposal } from "../core/approval/memory-proposals.js";
import type { MemoryVersion } from "../core/history/history.js";
import type { MemoryActor } from "../core/values/actor.js";

type Json<T> = T extends Date ? string : T extends object ? { [Name in keyof T]: Json<T[Name]> } : T;

export type WireActor = MemoryActor;
export type WireVersion = Json<MemoryVersion>;
export type WireProposal = Json<Omit<MemoryProposal, "content" | "oldContent" | "diff" | "proposed" | "base">>;
/** `proposedHunks` shows what the agent wrote, if the person who approved stored other words. */
export type WireFullProposal = Json<Omit<MemoryProposal, "diff" | "proposed">> & {
  hunks: WireHunk[];
  proposedHunks: WireHunk[] | null;
};

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
  /** The person who decides, if the server knows the person. Otherwise the client requests a name. */
  userId: string | null;
  /** The person whose memories are all that the visitor may see. */
  owner?: { userId: string };
  /** Where the memories are, if it is known. */
  place: { database: string; host: string } | null;
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
  /** Start of the next page, or null at the end. */
  next: number | null;
  /** Number of memories in all pages. */
  total: number;
  /** False if there are more memories, which are not in the list. */
  isAll: boolean;
}

/** Differs after every change of the memory. Null if the memory is empty or was never written. */
export interface WireChangeToken {
  changeToken: string | null;
}

/** What an agent may do. */
export type WireAccess = "read" | "append" | "write" | "ask";

/** A memory that is mounted in another memory. */
export interface WireMount {
  /** The mount point. */
  point: string;
  /** Null if the visitor may see what is mounted, but not whose memory it is. */
  address: WireAddress | null;
  /** Whether the page also shows this memory alone, because it is a memory in MongoDB. */
  isHere: boolean;
  access: WireAccess;
  description: string | null;
}

export interface WireEntries {
  /** `access` is there only if it differs from that of the directory. */
  entries: { name: string; kind: "file" | "dir"; mount?: WireMount; access?: WireAccess }[];
  /** Number of entries in the directory. */
  total: number;
  /**
   * The rights on paths, in words. Empty if everything is allowed everywhere, and for directories other than the root.
   */
  rights: string;
}

export interface WireFile {
  path: string;
  content: string;
  /** Names the content when a person saves a change of it. Empty for an earlier content. */
  digest: string;
  sizeBytes: number;
  createdAt: string;
  updatedAt: string;
  /** The mounted memory that contains the entry. */
  mount: WireMount | null;
}

/** A part of a text: its start and its end in UTF-16 units. */
export type WireMark = [start: number, end: number];

export interface WireHit {
  path: string;
  /** Line number, from 1. For a passage of several lines, the first one. */
  line: number;
  text: string;
  /** What fits the query in the text, ascending and apart. Empty for a regular expression. */
  marks: WireMark[];
  /** For ranked words: true if the passage holds no word of the query. It is near such words, or near in meaning. */
  isNear?: boolean;
  /** The score of ranked words. Higher is better. */
  score?: number;
}

export interface WireHits {
  hits: WireHit[];
  /** Whether there are more. */
  more: boolean;
}

/** The hits of a search in several memories. */
/** The beginning of a file that people see first. */
export interface WireFirstFile {
  /** Null if there is none. */
  path: string | null;
  text: string;
  isWhole: boolean;
}

export interface WireFound {
  found: { memory: WireSummary; hits: WireHit[] }[];
  /** Number of memories that were searched. */
  searched: number;
  /** Start of the next memories, or null at the end. */
  next: number | null;
}

export interface WireVersions {
  /** False if the memory keeps no history. */
  isKept: boolean;
  versions: WireVersion[];
  /** The last of these versions, after which the next page begins. Null at the end. */
  next: string | null;
}

/** A hunk of a difference. Starts are counted from 1; they are 0 in parts without line numbers. */
export interface WireHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each line begins with its sign. */
  lines: string[];
  /** Why the hunk is as it is. */
  note?: string;
}

export interface WireChange {
  version: WireVersion;
  /** Empty if no text changed. Null if a text is redacted or no longer kept. */
  hunks: WireHunk[] | null;
}

export interface WireBlame {
  /** The lines in order, grouped in runs of one version. Version -1 is a version that is no longer kept, and -2 a redacted one. */
  runs: { version: number; lines: string[] }[];
  versions: WireVersion[];
}

export interface WireProposals {
  proposals: WireProposal[];
  more: boolean;
}

/** A proposal of any memory. */
export type WireWaitingProposal = WireProposal & { address: WireAddress };

export interface WireInbox {
  proposals: WireWaitingProposal[];
  more: boolean;
}

export interface WireWaiting {
  count: number;
  /** Whether there are more than `count`. */
  more: boolean;
  /** The counted proposals by memory. */
  memories: { address: WireAddress; count: number }[];
}

export interface WireMessage {
  /** Null if nothing is shown to the model. */
  text: string | null;
  usedChars: number;
  maxChars: number;
  /** How the first connector of the node shows it. Null if the page knows none: the defaults of connectors hold. */
  connector: { content: "tree" | "index" | "full"; maxChars: number } | null;
  /** The requested view. `view` is the view that fitted. */
  content: "tree" | "index" | "full";
  view: "tree" | "index" | "full" | null;
  entries: number;
  leftOut: number;
  /** The scope of the shown memory. The global memory is shown if the memory itself has no files. */
  scope: WireAddress["scope"];
}

/** The effect of a revert. */
export interface WireRevertPreview {
  /** The difference for a single file. Null for a run, whose changes are `versions`. */
  hunks: WireHunk[] | null;
  /** The versions that would be undone. */
  versions: WireVersion[];
}

export interface WireReverted {
  versions: WireVersion[];
}

/** The answer to a text that a person saves. */
export interface WireSaved {
  /** The stored text, if a guard has changed it. */
  changedTo: string | null;
  /** Set if nothing was stored, because the file is not what the person has edited. */
  conflict: WireConflict | null;
}

export interface WireConflict {
  /** Names what the file contains now. Null if there is no file. */
  digest: string | null;
  /** What the person's text would change now. */
  hunks: WireHunk[];
}

export interface WireDeletePreview {
  files: number;
  /** Whether a history keeps what is deleted. */
  isKept: boolean;
}

/** Where a text stands. */
export interface WireFoundText {
  /** The newest of them. */
  versions: WireVersion[];
  versionCount: number;
  /** How many proposals contain it. */
  proposals: number;
  /** The paths of the present files that contain it. */
  files: string[];
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
