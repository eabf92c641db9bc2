import { testBackend } from "../helpers/backend-suite.js";
import { repetitions } from "../helpers/repetitions.js";
import { openInFolder, testFolder } from "../helpers/test-folder.js";

const folder = testFolder();

testBackend(
  "a folder",
  (address, options) => openInFolder(folder, address, options),
  repetitions({ usual: 12, long: 50 }),
  {
    // A file is replaced by a new one, so that no reader sees half of it; no file system lets its birth be set.
    keepsCreatedAt: false,
    // The same folder works where it is copied or cloned to Windows.
    createsAnyName: false,
  },
);
