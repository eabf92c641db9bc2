/** What the browser loads. The build puts the bundled client here; in the sources there is none. */
export const clientFiles: { script: string; markdown: string; style: string } = { script: "", markdown: "", style: "" };
