export default async function globalTeardown() {
  await globalThis.stopSharedServers?.();
}
