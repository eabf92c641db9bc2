import { renameSync, rmSync, symlinkSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * A process that exchanges a directory with a link, over and over, until it is killed. Its arguments: the folder that
 * contains the directory, the directory's name, and the target of the link. It never takes a lock.
 */
const [parent = "", name = "", target = ""] = process.argv.slice(2);
const [there, link, away] = [name, "the-link", "the-directory"].map((one) => join(parent, one)) as [
  string,
  string,
  string,
];
symlinkSync(target, link);
writeSync(1, "begun\n");
for (;;) {
  if (!moved(there, away)) rmSync(away, { recursive: true, force: true });
  else if (moved(link, there)) moved(there, link);
  moved(away, there);
}

/** Returns false if another process has just deleted or created one of the names. */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}
