/** Returns the tag by which npm finds a version: `latest`, or `next` for one that comes before a release. */
export function distTagOf(version: string): "latest" | "next" {
  return version.includes("-") ? "next" : "latest";
}
