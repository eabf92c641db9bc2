import { describe } from "@jest/globals";
import { backendsUnderTest } from "../helpers/backends-under-test.js";
import { testDialect, testTools } from "../helpers/dialect-suite.js";
import { dialectsUnderTest } from "../helpers/dialects-under-test.js";
import { repetitions } from "../helpers/repetitions.js";

const dialects = await dialectsUnderTest();

describe.each(dialects)("the dialect %s", (_dialect, dialect) => {
  testTools(dialect);
});

describe.each(backendsUnderTest())("on %s", (backendName, backend) => {
  // What a backend does not see is the same on all.
  const usual = backendName === "an InMemoryStore" ? 75 : 10;
  describe.each(dialects)("the dialect %s", (_dialect, dialect) => {
    testDialect(dialect, backend, repetitions({ usual, long: 150 }));
  });
});
