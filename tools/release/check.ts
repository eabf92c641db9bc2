import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pack } from "../../__tests__/helpers/packed-package.js";
import { runCommand } from "../run-command.js";
import { changelogSection, hasUnreleased, withAbsoluteLinks } from "./changelog.js";
import { distTagOf } from "./dist-tag.js";
import { findTooLong } from "./lengths.js";
import { ownerOf, placeholder, withOwnerOf } from "./owner.js";
import { readTrackedTexts } from "./tracked-files.js";
import { statedVersions } from "./versions.js";

/*
 * Packs the package, checks that file as its users get it, and tries to publish it without doing so. Needs `dist`.
 * `--final` also demands what only a release needs: an owner, and no entries of the changelog that belong to no version.
 * `--out folder` keeps the file there for the jobs that publish it, beside what they need to know: `tag` (by which npm
 * finds the version), `notes.md` (the text of the release on GitHub) and `server.json` (for the registry of MCP). It is
 * not installed then: an install brings the newest versions of other packages, whose code could change the file.
 */

interface Manifest {
  name: string;
  version: string;
  mcpName: string;
  repository?: { url?: string };
}

const { values } = parseArgs({ options: { out: { type: "string" }, final: { type: "boolean", default: false } } });
const manifest = JSON.parse(await readFile("package.json", "utf8")) as Manifest;
const temporary = await mkdtemp(join(tmpdir(), "release-"));
try {
  await checkWords();
  const folder = values.out === undefined ? temporary : resolve(values.out);
  await mkdir(folder, { recursive: true });
  const tarball = await pack(folder);
  const digest = createHash("sha256")
    .update(await readFile(tarball))
    .digest("hex");
  console.log(`packed ${basename(tarball)}, sha256 ${digest}`);
  await runCommand("node_modules/.bin/attw", [
    tarball,
    "--profile",
    "node16",
    "--no-definitely-typed",
    "--format",
    "ascii",
  ]);
  console.log("attw: every entry resolves, as an ES module and as CommonJS, with types");
  await runCommand("node_modules/.bin/publint", ["run", tarball, "--strict"]);
  console.log("publint: no warning");
  await tryToPublish(tarball);
  if (values.out === undefined) await checkInstall(tarball);
  else await writeForPublisher(folder);
} finally {
  await rm(temporary, { recursive: true, force: true });
}

/** Checks the owner, the versions, the changelog, and how long texts are. */
async function checkWords(): Promise<void> {
  const owner = ownerOf(manifest);
  if (values.final && owner === placeholder)
    throw new Error(
      `nobody has set the owner of the repository: replace ${placeholder} in package.json by a name on GitHub`,
    );
  // npm refuses a provenance that names another repository than package.json.
  const { GITHUB_REPOSITORY: here } = process.env;
  if (values.final && here !== undefined && here !== `${owner}/${manifest.name}`)
    throw new Error(`this is the repository ${here}, and package.json names ${owner}/${manifest.name}`);
  const others = statedVersions(await readTrackedTexts()).filter(({ version }) => version !== manifest.version);
  if (others.length > 0)
    throw new Error(`package.json has the version ${manifest.version}, and others differ: ${JSON.stringify(others)}`);
  const changelog = await readFile("CHANGELOG.md", "utf8");
  const { date } = changelogSection(changelog, manifest.version);
  if (values.final && hasUnreleased(changelog))
    throw new Error(`CHANGELOG.md has a section Unreleased: move its entries to that of ${manifest.version}`);
  const tooLong = await findTooLong();
  if (tooLong.length > 0) throw new Error(tooLong.join("\n"));
  console.log(`${manifest.name} ${manifest.version} of ${date}, by ${owner}`);
}

/** Writes what the jobs that publish need to know, as they run no code of the repository. */
async function writeForPublisher(folder: string): Promise<void> {
  const { text } = changelogSection(await readFile("CHANGELOG.md", "utf8"), manifest.version);
  await writeFile(join(folder, "notes.md"), withAbsoluteLinks(text, ownerOf(manifest), manifest.version));
  await writeFile(join(folder, "tag"), distTagOf(manifest.version));
  const server = JSON.parse(await readFile("tools/listings/server.json", "utf8")) as object;
  await writeFile(join(folder, "server.json"), JSON.stringify(withOwnerOf(manifest, server), null, 2));
}

/** Installs the file with the required peers into an empty folder, and starts the program from there. */
async function checkInstall(tarball: string): Promise<void> {
  const project = join(temporary, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const inProject = { cwd: project };
  await runCommand("npm", ["install", tarball, "--no-audit", "--no-fund", "--prefer-offline"], inProject);
  const program = ["--no-install", manifest.name];
  const { stdout: version } = await runCommand("npx", [...program, "--version"], inProject);
  if (version.trim() !== manifest.version) throw new Error(`the installed program says ${version}`);
  await mkdir(join(project, "notes"));
  await writeFile(join(project, "notes", "hello"), "from a new project");
  await runCommand("npx", [...program, "import", "--dir", "notes", "--to-dir", "copy"], inProject);
  const text = await readFile(join(project, "copy", "hello"), "utf8");
  if (text !== "from a new project") throw new Error(`the installed program wrote ${text}`);
  const imported = `import { openMemory } from "${manifest.name}"; console.log(typeof openMemory);`;
  await runCommand(process.execPath, ["--input-type=module", "--eval", imported], inProject);
  console.log("installed in an empty folder: the program and the library work");
}

interface PublishReport {
  size: number;
  unpackedSize: number;
  entryCount: number;
}

/** Lets npm do all of it but the upload. npm needs no login for that, and says so in a warning. */
async function tryToPublish(tarball: string): Promise<void> {
  const tag = distTagOf(manifest.version);
  const { stdout, stderr } = await runCommand("npm", [
    "publish",
    tarball,
    "--dry-run",
    "--json",
    "--access",
    "public",
    "--tag",
    tag,
  ]);
  const warnings = stderr.split("\n").filter((line) => line.startsWith("npm warn") && !line.includes("logged in"));
  if (warnings.length > 0) throw new Error(`npm publish warns:\n${warnings.join("\n")}`);
  const report = JSON.parse(stdout) as PublishReport | Record<string, PublishReport>;
  // npm 11 tells it for each package by its name, npm 10 for the one package.
  const { size, unpackedSize, entryCount } = ("size" in report ? report : report[manifest.name]) as PublishReport;
  console.log(`npm would publish it as ${tag}: ${entryCount} files, ${size} bytes, ${unpackedSize} unpacked`);
}
