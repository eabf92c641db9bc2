export default async function globalTeardown() {
  await Promise.all((globalThis.endings ?? []).map((end) => end()));
}
