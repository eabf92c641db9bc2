import { describe } from "@jest/globals";
import { backendsUnderTest } from "../helpers/backends-under-test.js";
import { testDialect } from "../helpers/dialect-suite.js";
import { dialectsUnderTest } from "../helpers/dialects-under-test.js";
import { repetitions } from "../helpers/repetitions.js";

const dialects = await dialectsUnderTest();

describe.each(backendsUnderTest())("on %s", (_backend, backend) => {
  describe.each(dialects)("the dialect %s", (_dialect, dialect) => {
    testDialect(dialect, backend, repetitions({ usual: 25, long: 150 }));
  });
});
