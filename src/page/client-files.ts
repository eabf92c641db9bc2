/** The files that the browser loads, compressed by Brotli, as base64. The build inserts the bundled client. In the sources they are empty. */
export const clientFiles: { script: string; markdown: string; style: string } = { script: "", markdown: "", style: "" };
