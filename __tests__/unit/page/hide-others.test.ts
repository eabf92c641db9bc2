import { expect, it } from "@jest/globals";
import { hideOthers } from "../../../src/page/owner.js";

it("hides other people in steps of at most an object", () => {
  const list = [
    { actor: { userId: "ada", agent: "cook" } },
    [{ actor: { userId: "bob", threadId: "t", agent: "cook" }, lines: ["", ""] }],
    null,
  ];
  const work = hideOthers({ list }, { userId: "ada" });
  let steps = 0;
  let result = work.next();
  for (; result.done !== true; result = work.next()) steps += 1;
  expect(result.value).toEqual({
    list: [{ actor: { userId: "ada", agent: "cook" } }, [{ actor: { agent: "cook" }, lines: ["", ""] }], null],
  });
  expect(steps).toBe(5);
});
