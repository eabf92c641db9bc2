import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** A dialogue of LoCoMo, reduced for retrieval. */
export interface Dialogue {
  sessions: {
    session: number;
    date: string;
    turns: { id: string; speaker: string; text: string; caption?: string }[];
  }[];
  questions: { question: string; evidence: string[] }[];
}

/** A chat of BEAM, reduced for retrieval. */
export interface Chat {
  exchanges: {
    batch: number;
    exchange: number;
    date: string;
    messages: { id: number; role: string; text: string }[];
  }[];
  questions: { question: string; evidence: number[] }[];
}

/** Reads a JSON file, which may be packed by gzip. */
export async function readJson(path: string): Promise<unknown> {
  const bytes = await readFile(path);
  return JSON.parse((path.endsWith(".gz") ? await promisify(gunzip)(bytes) : bytes).toString());
}
