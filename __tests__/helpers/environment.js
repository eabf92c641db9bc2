import { AsyncLocalStorage } from "node:async_hooks";
import { TestEnvironment } from "jest-environment-node";

const used = new Set();

for (const name of ["run", "enterWith"]) {
  const original = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function remembered(...args) {
    used.add(this);
    return original.apply(this, args);
  };
}

/**
 * Disables the storages that a test file leaves enabled. Otherwise each of them would slow down every promise of later
 * files, and keep the modules of its file in memory.
 */
export default class Environment extends TestEnvironment {
  async teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    await super.teardown();
  }
}
