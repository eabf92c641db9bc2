import { describe, expect, it } from "@jest/globals";
import { getTexts, redactRecords } from "../../../src/core/approval/redact-records.js";
import type { ChangeRecord, ChangeRecords } from "../../../src/core/contract/change-record.js";

const pending: ChangeRecord = {
  id: "1",
  kind: "proposal",
  status: "pending",
  token: null,
  claim: null,
  askedAt: null,
  command: "append",
  path: "/a",
  to: null,
  content: "secret",
  oldContent: null,
  before: null,
  after: "secret",
  isDirectory: false,
  base: "digest",
  diff: "+secret\n",
  counts: {},
  edited: null,
  actor: { client: "secret agent" },
  at: new Date(0),
  decidedBy: null,
  decidedAt: null,
  reason: null,
};

/** One record, and what happens to it right before the redaction changes it. */
function createRecords(meanwhile: (record: ChangeRecord) => ChangeRecord | null): ChangeRecords & {
  stored: ChangeRecord | null;
  made: string[];
} {
  let hasHappened = false;
  return {
    stored: pending,
    made: [],
    now: () => new Date(0),
    async find() {
      return this.stored;
    },
    put: async (record) => record,
    withdraw: async () => {},
    async swap(_id, expected, fields) {
      if (!hasHappened) {
        hasHappened = true;
        this.stored = this.stored && meanwhile(this.stored);
      }
      if (this.stored === null || this.stored.status !== expected.status) return null;
      this.stored = { ...this.stored, ...fields };
      return this.stored;
    },
    async apply(record) {
      this.made.push(record.after ?? "");
      return "applied";
    },
    unmark: async () => undefined,
    async page(kind) {
      return { records: kind === "proposal" && this.stored !== null ? [this.stored] : [], end: null };
    },
  };
}

const redaction = {
  isTied: (record: ChangeRecord) => getTexts(record).some((text) => text.includes("secret")),
  isPathRedacted: () => false,
  coverShort: (text: string) => text.replaceAll("secret", "cover"),
  coverSources: (sources: string[]) => sources,
  coverActor: <Actor extends ChangeRecord["actor"]>(actor: Actor): Actor =>
    actor?.client === "secret agent" ? { ...actor, client: "cover" } : actor,
};

describe("a record that somebody decides while it is redacted", () => {
  it.each<[string, Partial<ChangeRecord>, string[]]>([
    ["approves", { status: "applying", token: "t", claim: "c" }, ["secret"]],
    ["has approved", { status: "approved" }, []],
    ["rejects", { status: "rejected", reason: "no secret", decidedBy: { userId: "ada" } }, []],
  ])("loses its texts where that person %s it", async (_name, decision, made) => {
    const records = createRecords((record) => ({ ...record, ...decision }));
    expect(await redactRecords(records, redaction)).toBe(1);
    const { status = "pending" } = decision;
    expect(records.stored).toMatchObject({
      status: status === "applying" ? "approved" : status,
      content: null,
      after: null,
      diff: "",
      base: "",
      actor: { client: "cover" },
    });
    expect(records.made).toEqual(made);
    expect(await redactRecords(records, redaction)).toBe(0);
  });

  it("is done with where it is gone", async () => {
    expect(
      await redactRecords(
        createRecords(() => null),
        redaction,
      ),
    ).toBe(1);
  });
});
