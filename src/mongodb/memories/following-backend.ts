import type { MemoryActor } from "../../core/values/actor.js";
import type { CheckedAddress } from "../../core/values/address.js";
import type { ChangeRecords } from "../../core/contract/change-record.js";
import type { LayoutBackend, WriteMode } from "./layout-backend.js";
import type { HistoryBackend } from "../../core/history/history-backend.js";
import type {
  DeletedCounts,
  FileStat,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
} from "../../core/memory.js";
import type { CallContext } from "../../core/runtime/call.js";
import { getSnapshotSince } from "./adapt-layout-backend.js";
import type { VersionedSnapshot } from "../../core/tree/snapshot.js";
import type { MeaningBackend } from "../../core/search/meaning.js";
import type { NarrowedTexts } from "../../core/search/narrowed-texts.js";
import type { ChangeListener } from "../../core/contract/change-listener.js";
import type { Following, Place } from "./following.js";
import { FollowingListener } from "./following-listener.js";
import { FollowingHistory } from "./following-history.js";
import { FollowingRecords } from "./following-records.js";
import type { KeptLayout } from "./layout.js";
import { reasonToFollow } from "./moved-memory.js";

/** One memory, wherever it is. Each call is one of the layout that keeps the memory. */
export class FollowingBackend implements LayoutBackend {
  readonly #following: Following;
  readonly #address: CheckedAddress;
  readonly #open: (layout: KeptLayout) => LayoutBackend;
  readonly #home: LayoutBackend;
  readonly #call: CallContext | undefined;

  /** @param inCall what a call has of it */
  constructor(
    following: Following,
    address: CheckedAddress,
    open: (layout: KeptLayout) => LayoutBackend,
    inCall?: { home: LayoutBackend; call: CallContext },
  ) {
    this.#following = following;
    this.#address = address;
    this.#open = open;
    this.#home = inCall?.home ?? open(following.home);
    this.#call = inCall?.call;
  }

  forCall(call: CallContext): LayoutBackend {
    return new FollowingBackend(this.#following, this.#address, this.#open, {
      home: this.#home.forCall?.(call) ?? this.#home,
      call,
    });
  }

  forActor(actor: MemoryActor): LayoutBackend {
    const open = (layout: KeptLayout): LayoutBackend => {
      const backend = this.#open(layout);
      return backend.forActor?.(actor) ?? backend;
    };
    return new FollowingBackend(this.#following, this.#address, open);
  }

  /** One for all backends of a store, wherever their memories are. */
  get storage(): object {
    return this.#home.storage ?? this.#home;
  }

  /** The vectors are those of both layouts. */
  meaning(): MeaningBackend | null {
    return this.#home.meaning?.() ?? null;
  }

  history(): HistoryBackend | null {
    const home = this.#home.history?.() ?? null;
    return home && new FollowingHistory((act, run) => this.#run(act, (backend) => run(backend.history?.() ?? home)));
  }

  records(): ChangeRecords {
    const open = (backend: LayoutBackend): ChangeRecords => {
      const records = backend.records?.();
      if (records === undefined) throw new TypeError("every layout of MongoDB keeps proposals");
      return records;
    };
    return new FollowingRecords(open(this.#home), (act, run) => this.#run(act, (backend) => run(open(backend))));
  }

  version(): Promise<string | null> {
    return this.#read(async (backend) => (await backend.version?.()) ?? null);
  }

  snapshotSince(known: ReadonlyMap<string, string>): Promise<VersionedSnapshot> {
    return this.#read((backend) => getSnapshotSince(backend, known));
  }

  narrow(query: string, path: string): Promise<NarrowedTexts | null> {
    return this.#read(async (backend) => (await backend.narrow?.(query, path)) ?? null);
  }

  /** Of a memory that is nowhere, none: where it will be made is not known. */
  listen(): Promise<ChangeListener | null> {
    const following = this.#inCall();
    return following.run(this.#address, "read", async (place) => {
      const listener = place === "nowhere" ? null : ((await this.#at(place, following).listen?.()) ?? null);
      return listener && new FollowingListener(listener, () => this.#following.placeOf(this.#address) === place);
    });
  }

  read(path: string): Promise<string> {
    return this.#read((backend) => backend.read(path));
  }

  readFiles(paths: readonly string[]): Promise<(string | null)[]> {
    return this.#read((backend) => backend.readFiles(paths));
  }

  list(path: string): Promise<MemoryEntry[]> {
    return this.#read((backend) => backend.list(path));
  }

  stat(path: string): Promise<MemoryStat | null> {
    return this.#read((backend) => backend.stat(path));
  }

  snapshot(): Promise<MemorySnapshot> {
    return this.#read((backend) => backend.snapshot());
  }

  outline(wanted: Required<OutlineOptions>): Promise<MemoryOutline> {
    return this.#read((backend) => backend.outline(wanted));
  }

  append(path: string, content: string, create: boolean): Promise<void> {
    return this.#change((backend) => backend.append(path, content, create));
  }

  replace(path: string, oldContent: string, content: string): Promise<number> {
    return this.#change((backend) => backend.replace(path, oldContent, content));
  }

  delete(path: string, ifDirectory: "delete" | "fail", checkBelow?: (path: string) => void): Promise<DeletedCounts> {
    return this.#change((backend) => backend.delete(path, ifDirectory, checkBelow));
  }

  write(path: string, content: string, mode: WriteMode): Promise<FileStat> {
    return this.#change((backend) => backend.write(path, content, mode));
  }

  edit(path: string, change: (text: string) => string): Promise<FileStat> {
    return this.#change((backend) => backend.edit(path, change));
  }

  rename(from: string, to: string, checkMoved: (path: string) => void): Promise<void> {
    return this.#change((backend) => backend.rename(from, to, checkMoved));
  }

  #read<T>(run: (backend: LayoutBackend) => Promise<T>): Promise<T> {
    return this.#run("read", run);
  }

  #change<T>(run: (backend: LayoutBackend) => Promise<T>): Promise<T> {
    return this.#run("change", run);
  }

  /** Most memories have never moved, and their calls need nothing of what follows. */
  async #run<T>(act: "read" | "change", run: (backend: LayoutBackend) => Promise<T>): Promise<T> {
    if (this.#following.placeOf(this.#address) === "home") {
      try {
        return await run(this.#home);
      } catch (error) {
        if (reasonToFollow(error) === null) throw error;
      }
    }
    const following = this.#inCall();
    return following.run(this.#address, act, (place) => run(this.#at(place, following)));
  }

  #inCall(): Following {
    return this.#call === undefined ? this.#following : this.#following.forCall(this.#call);
  }

  #at(place: Place, following: Following): LayoutBackend {
    return place === "home" ? this.#home : this.#open(following.at(place));
  }
}
