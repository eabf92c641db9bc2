import { AsyncLocalStorage } from "node:async_hooks";
import vm from "node:vm";
import { TestEnvironment } from "jest-environment-node";

const used = new Set();

for (const name of ["run", "enterWith"]) {
  const original = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function remembered(...args) {
    used.add(this);
    return original.apply(this, args);
  };
}

const { createContext } = vm;

/**
 * Gives each test file plain globals. Jest puts a proxy behind them, and the driver uses so many of them that most
 * database tests would need half as much time again.
 *
 * Disables the storages that a test file leaves enabled. Otherwise each of them would slow down every promise of later
 * files, and keep the modules of its file in memory.
 */
export default class Environment extends TestEnvironment {
  constructor(config, context) {
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
  }

  async teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    await super.teardown();
  }
}
