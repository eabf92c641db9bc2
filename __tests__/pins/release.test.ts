import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { changelogSection, hasUnreleased, withAbsoluteLinks } from "../../tools/release/changelog.js";
import { distTagOf } from "../../tools/release/dist-tag.js";
import { ownerOf, ownersIn, placeholder } from "../../tools/release/owner.js";
import { readTrackedTexts } from "../../tools/release/tracked-files.js";
import { statedVersions } from "../../tools/release/versions.js";

interface Manifest {
  version: string;
  engines: { node: string };
  scripts: Record<string, string>;
  repository: { url: string };
  funding: string;
}

interface Step {
  id?: string;
  if?: string;
  run?: string;
  uses?: string;
  with?: Record<string, unknown>;
}

interface Job {
  permissions?: Record<string, string>;
  /** Undefined in a job that is another workflow. */
  steps?: Step[];
  needs?: string | string[];
  uses?: string;
  environment?: string | { name: string };
  strategy?: { matrix: { node?: string[]; part?: string[] } };
}

const manifest = JSON.parse(await readFile("package.json", "utf8")) as Manifest;
const workflows = ".github/workflows";
const workflowNames = await readdir(workflows);
const readWorkflow = (name: string): Promise<string> => readFile(join(workflows, name), "utf8");
const jobsOf = async (name: string): Promise<Record<string, Job>> =>
  (parse(await readWorkflow(name)) as { jobs: Record<string, Job> }).jobs;

describe("the version of the package", () => {
  it("is the same wherever it stands", async () => {
    const stated = statedVersions(await readTrackedTexts());
    expect(stated.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["package.json", "package-lock.json", "src/core/values/package-version.ts"]),
    );
    expect(stated.filter(({ version }) => version !== manifest.version)).toEqual([]);
  });

  it("has a section in the changelog, with its date", async () => {
    const { date, text } = changelogSection(await readFile("CHANGELOG.md", "utf8"), manifest.version);
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(text).not.toBe("");
  });

  it.each([
    ["1.0.0-rc.1", "next"],
    ["1.0.0", "latest"],
  ])("%s is found by npm as %s", (version, tag) => {
    expect(distTagOf(version)).toBe(tag);
  });
});

describe("a section of a changelog", () => {
  const changelog = "# Changelog\n\n## 1.1.0-rc.1 - 2026-02-03\n\nA\n\n## 1.1.0 - 2026-02-02\n\n### Added\n\n- B\n";

  it("ends where the next one begins", () => {
    expect(changelogSection(changelog, "1.1.0-rc.1")).toEqual({ date: "2026-02-03", text: "A" });
    expect(changelogSection(changelog, "1.1.0")).toEqual({ date: "2026-02-02", text: "### Added\n\n- B" });
  });

  it.each(["1.1", "2.0.0"])("of a version without one, such as %s, is refused", (version) => {
    expect(() => changelogSection(changelog, version)).toThrow(`no section "## ${version} - YYYY-MM-DD"`);
  });

  it("without a version is seen", () => {
    expect([hasUnreleased(changelog), hasUnreleased(`## Unreleased\n\n${changelog}`)]).toEqual([false, true]);
  });

  it("has links that lead to the files of its version, outside of the repository", () => {
    expect(withAbsoluteLinks("[a](docs/a.md#b), [c](https://d.example)", "acme", "1.1.0")).toBe(
      "[a](https://github.com/acme/langgraph-mongo-memory/blob/v1.1.0/docs/a.md#b), [c](https://d.example)",
    );
  });
});

describe("the owner of the repository", () => {
  it("is found in every form of an address", () => {
    const forms = [
      "git+https://github.com/a/langgraph-mongo-memory.git",
      "https://b.github.io/langgraph-mongo-memory/",
      "io.github.c/langgraph-mongo-memory",
      "?name=io.github.d%2Flanggraph-mongo-memory",
    ];
    expect(forms.map((form) => ownersIn(form))).toEqual([["a"], ["b"], ["c"], ["d"]]);
  });

  it("is one in package.json, and stands in no other file", async () => {
    const owner = ownerOf(manifest);
    // npm copies the address of sponsors into the lock.
    const generated = /^package(?:-lock)?\.json$/;
    const own = /^(?:tools\/release\/|__tests__\/pins\/release)/;
    const texts = [...(await readTrackedTexts())].filter(([path]) => !own.test(path));
    const named = texts.flatMap(([path, text]) => ownersIn(text).map((each) => `${path}: ${each}`));
    expect(named).toEqual([`package.json: ${owner}`]);
    expect(manifest.funding).toBe(`https://github.com/sponsors/${owner}`);
    const left = texts.filter(([path, text]) => !generated.test(path) && new RegExp(`\\b${placeholder}\\b`).test(text));
    expect(left.map(([path]) => path)).toEqual([]);
  });

  it("is read from repository.url alone", () => {
    expect(ownerOf({ repository: { url: "git+https://github.com/acme/langgraph-mongo-memory.git" } })).toBe("acme");
    expect(() => ownerOf({ repository: { url: "https://example.com" } })).toThrow("repository.url");
  });
});

/** The version of Node that all checks run on, and those that some tests run on. */
async function checkedNodes(): Promise<string[]> {
  const { check, nodes } = await jobsOf("ci.yml");
  const setups = check?.steps?.filter(({ uses }) => uses?.startsWith("actions/setup-node@")) ?? [];
  const versions = [
    ...setups.map((setup) => String(setup.with?.["node-version"])),
    ...(nodes?.strategy?.matrix.node ?? []),
  ];
  return versions.toSorted((one, other) => Number(one) - Number(other));
}

describe("the workflows", () => {
  it("use every action by its full commit, one commit for each, and say its version", async () => {
    const texts = await Promise.all(workflowNames.map(readWorkflow));
    const uses = texts.flatMap((text) => Array.from(text.matchAll(/uses: (?!\.\/)(.*)/g), ([, use = ""]) => use));
    expect(uses.length).toBeGreaterThan(0);
    for (const use of uses) expect(use).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const names = new Set(uses.map((use) => use.replace(/@.*/, "")));
    expect(new Set(uses).size).toBe(names.size);
  });

  it("leave no credentials in what they check out", async () => {
    const all = await Promise.all(workflowNames.map(jobsOf));
    const checkouts = all
      .flatMap((jobs) => Object.values(jobs).flatMap(({ steps = [] }) => steps))
      .filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ "persist-credentials": false });
  });

  it("check the versions of Node that the documentation names, from the oldest that the package allows", async () => {
    const versions = await checkedNodes();
    expect(`>=${versions[0]}`).toBe(manifest.engines.node);
    const named = `${versions.slice(0, -1).join(", ")} and ${versions.at(-1)}`;
    expect(await readFile("docs/install.md", "utf8")).toContain(`CI runs Node ${named}.`);
  });

  it("run every part of npm run test:long each night and before a release", async () => {
    const { long } = await jobsOf("long.yml");
    const parts = long?.strategy?.matrix.part?.map((part) => `npm run ${part}`);
    expect(parts?.join(" && ")).toBe(manifest.scripts["test:long"]);
    expect(await jobsOf("release.yml")).toMatchObject({ long: { uses: "./.github/workflows/long.yml" } });
  });

  it("publish by one job, which runs no code of the repository: no other has the environment that npm trusts", async () => {
    const { publish, pack } = await jobsOf("release.yml");
    expect(pack?.permissions).toBeUndefined();
    expect(publish?.permissions).toEqual({ "id-token": "write" });
    expect(publish?.steps?.filter(({ uses }) => uses?.startsWith("actions/checkout@"))).toEqual([]);
    const all = (await Promise.all(workflowNames.map(jobsOf))).flatMap((jobs) => Object.entries(jobs));
    expect(all.flatMap(([name, { environment }]) => (environment === "npm" ? [name] : []))).toEqual(["publish"]);
  });

  it("compare every file with its sum before they publish it", async () => {
    const jobs = await jobsOf("release.yml");
    for (const name of ["publish", "github-release", "mcp-registry"]) {
      const runs = jobs[name]?.steps?.flatMap(({ run }) => run ?? []) ?? [];
      expect(runs[0]).toBe('cd package && echo "$SUMS" | sha256sum --check --strict');
    }
    const sums = jobs["pack"]?.steps?.find(({ id }) => id === "sums");
    expect(sums?.run).toContain("sha256sum *.tgz *.mcpb server.json | tee SHA256SUMS");
  });

  it("pack the file where only packages of the lock files run, and check it elsewhere before they publish", async () => {
    const { pack, publish } = await jobsOf("release.yml");
    expect(pack?.steps?.flatMap(({ run = "" }) => /^(?:npm|\.ci).*/.exec(run) ?? [])).toEqual([
      "npm ci",
      "npm run build",
      "npm run check:release -- --final --out package",
      "npm run bundle:desktop",
    ]);
    expect(publish?.needs).toEqual(["pack", "check", "long"]);
  });

  it("publish from main alone, and no version that has a tag", async () => {
    const { pack } = await jobsOf("release.yml");
    const condition = "${{ inputs.publish && github.ref != 'refs/heads/main' }}";
    expect(pack?.steps?.[0]).toMatchObject({ if: condition, run: "exit 1" });
    const refusal = pack?.steps?.find(({ run }) => run?.includes("git ls-remote"));
    expect(refusal).toMatchObject({ if: "${{ inputs.publish }}", run: expect.stringContaining('test -z "$tags"') });
  });

  it("publish the site after a release", async () => {
    const { site } = await jobsOf("release.yml");
    expect(site).toMatchObject({ needs: "github-release", uses: "./.github/workflows/site.yml" });
  });
});
