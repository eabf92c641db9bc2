import { beforeAll, describe, expect, it } from "@jest/globals";
import { MemoryNode, type MemoryNodeOptions, MongoMemoryStore } from "../../../../src/index.js";
import type { Tab } from "../../../helpers/page-browser.js";
import { newAddress, openPage, viewMemory } from "../../../helpers/shown-page.js";
import { testDatabase } from "../../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
let tab: Tab;

beforeAll(async () => {
  tab = await openPage({ store, access: "write" });
});

const memoryAt = (address: { nodeId: string }) => store.memory(address);

/** Puts a text into the editor that is open. */
const typeText = (into: Tab, text: string): Promise<void> => into.page.locator(".editor textarea").fill(text);

/** A page that knows one node, whose file is open in the editor. */
async function editorOf(options: Partial<MemoryNodeOptions>): Promise<{ tab: Tab; node: MemoryNode }> {
  const address = newAddress();
  const node = new MemoryNode({ store, nodeId: address.nodeId, ...options });
  await memoryAt(address).write("/notes", "old\n");
  const other = await openPage({ store, access: "write", nodes: [node] });
  await viewMemory(other, address, { path: "/notes" });
  await other.press("Edit");
  await other.type("Your name", "Ada");
  return { tab: other, node };
}

/** Edits a file, signs, and does not save. */
async function editNotes(before: string, typed: string): Promise<ReturnType<typeof newAddress>> {
  const address = newAddress();
  await memoryAt(address).write("/notes", before);
  await viewMemory(tab, address, { path: "/notes" });
  await tab.press("Edit");
  await typeText(tab, typed);
  await tab.type("Your name", "Ada");
  return address;
}

describe("the editor of the page", () => {
  it("changes a text, and signs the version", async () => {
    const address = newAddress();
    await memoryAt(address).write("/notes", "old\n");
    await viewMemory(tab, address, { path: "/notes" });
    await tab.press("Edit");
    await tab.see("Nothing is changed yet");
    await typeText(tab, "new\n");
    await tab.type("Your name", "Ada");
    await tab.press("Save");
    await tab.see(/^new$/m);
    await tab.press("Edit");
    expect(await memoryAt(address).read("/notes")).toBe("new\n");
    const versions = memoryAt(address).history?.list({ limit: 1 });
    expect((await versions?.[Symbol.asyncIterator]().next())?.value).toMatchObject({ actor: { userId: "Ada" } });
    expect(tab.faults).toEqual([]);
  });

  it("shows as a difference what saving would change, where others were faster", async () => {
    const address = await editNotes("one\ntwo\n", "one\nmine\n");
    await memoryAt(address).write("/notes", "one\ntheirs\n");
    await tab.see("The file has changed since you began");
    await tab.press("Save");
    await tab.see(/others have changed the file[^]*theirs[^]*mine/);
    for (const width of [390, 1280]) {
      await tab.page.setViewport({ width, height: 800 });
      expect(await tab.seriousFaults()).toEqual([]);
    }
    expect(await memoryAt(address).read("/notes")).toBe("one\ntheirs\n");
    await tab.press("Save anyway");
    await tab.see(/^mine$/m);
    await tab.press("Edit");
    expect(await memoryAt(address).read("/notes")).toBe("one\nmine\n");
    expect(tab.faults).toEqual([]);
  });

  it("asks before another view takes the place of a text that is not saved", async () => {
    await editNotes("old\n", "mine\n");
    await tab.value("window.confirm = (words) => { window.asked = words; return false; }, 0");
    await tab.value("history.back()");
    await tab.until('window.asked === "Leave the text that you have not saved?"');
    expect(await tab.value("document.querySelector('.editor textarea').value")).toBe("mine\n");
    await tab.value("window.confirm = () => true, 0");
    await tab.press("History", "link");
    await tab.see("version 1");
    expect(tab.faults).toEqual([]);
  });

  it("keeps what is typed, also in a dialog, while nobody answers", async () => {
    const address = newAddress();
    await memoryAt(address).write("/notes", "old\n");
    const other = await openPage({ store, access: "write" });
    await viewMemory(other, address, { path: "/notes" });
    await other.press("Rename…");
    await other.type("New path", "/notes-of-monday");
    await other.type("Your name", "Ada");
    await other.page.setOfflineMode(true);
    await other.press("Rename");
    await other.see("does not answer");
    expect(await other.value("document.querySelector('dialog input').value")).toBe("/notes-of-monday");
    await other.page.setOfflineMode(false);
    await other.press("Rename");
    await other.until('location.hash.includes("monday")');
    expect(await memoryAt(address).read("/notes-of-monday")).toBe("old\n");
    await other.page.close();
  });

  it("keeps the text where the file was deleted meanwhile, and can create it again", async () => {
    const address = await editNotes("old\n", "mine\n");
    await memoryAt(address).delete("/notes");
    await tab.press("Save");
    await tab.see("the file has been deleted");
    await tab.press("Save anyway");
    await tab.press("Edit");
    expect(await memoryAt(address).read("/notes")).toBe("mine\n");
    await tab.page.waitForNetworkIdle();
    // The page asked for the file while it was gone.
    expect(tab.faults.splice(0).every((fault) => fault.includes("404"))).toBe(true);
  });

  it("says what the guard of the node says, and whether the guard has changed the text", async () => {
    const guard = ({ content }: { content: string }): string => {
      if (content.includes("secret")) throw new Error("No secrets in here");
      return content.toUpperCase();
    };
    const { tab: other, node } = await editorOf({ guard });
    await typeText(other, "a secret\n");
    await other.press("Save");
    await other.see("No secrets in here");
    await typeText(other, "fine\n");
    await other.press("Save");
    await other.see("The application changed the text before it was stored");
    await other.see(/^FINE$/m);
    expect(await node.memory().read("/notes")).toBe("FINE\n");
    // The refusal of the server.
    expect(other.faults).toEqual([expect.stringContaining("403")]);
    await other.page.close();
  });

  it("says what the limits of the node say", async () => {
    const { tab: other, node } = await editorOf({ maxFileBytes: 10 });
    await typeText(other, "more than ten bytes\n");
    await other.press("Save");
    await other.see(/Refused\s[^]*10 bytes/);
    expect(await node.memory().read("/notes")).toBe("old\n");
    expect(other.faults).toEqual([expect.stringContaining("413")]);
    await other.page.close();
  });

  it("keeps the line ends of Windows", async () => {
    const address = await editNotes("one\r\ntwo\r\n", "one\nthree\n");
    await tab.press("Save");
    await tab.see("three");
    await tab.press("Edit");
    expect(await memoryAt(address).read("/notes")).toBe("one\r\nthree\r\n");
  });

  it("creates, renames and deletes files", async () => {
    const address = newAddress();
    await memoryAt(address).write("/taken", "text\n");
    await viewMemory(tab, address);
    await tab.press("New file…");
    await tab.see("Type a path first");
    await tab.type("Path", "/taken");
    await tab.type("Text", "a plan\n");
    await tab.type("Your name", "Ada");
    await tab.press("Create");
    await tab.see("There is a file of this path already");
    await tab.type("Path", "/plans/a.txt");
    await tab.press("Create");
    await tab.see("a plan");
    await tab.press("Rename…");
    await tab.see("Type another path");
    await tab.type("New path", "/plans/b.txt");
    await tab.press("Rename");
    await tab.until('location.hash.includes("b.txt")');
    await tab.see("a plan");
    expect(await memoryAt(address).read("/plans/b.txt")).toBe("a plan\n");
    await tab.press("Delete…");
    await tab.see("so it can be restored");
    await tab.press("Delete");
    await tab.until('!location.hash.includes("b.txt")');
    expect(await memoryAt(address).stat("/plans/b.txt")).toBeNull();
    expect(tab.faults).toEqual([]);
  });

  it("shows the rights of agents as marks on the rows of the tree, and lets a person edit there", async () => {
    const { tab: other } = await editorOf({
      rules: [
        { path: "/notes", access: "ask" },
        { path: "/policy/**", access: "read" },
      ],
    });
    await memoryAt({
      nodeId: await other.value<string>('new URLSearchParams(location.hash.split("?")[1]).get("nodeId")'),
    }).write("/policy/pay", "x");
    await other.see(/policy\s*read-only/);
    await other.see(/notes\s*asks a person/);
    await typeText(other, "by a person\n");
    await other.press("Save");
    await other.see("by a person");
    expect(other.faults).toEqual([]);
    await other.page.close();
  });
});
