import { readFile } from "node:fs/promises";
import { expect, it } from "@jest/globals";
import { tracePictures } from "../../../tools/pictures/traces.js";

it("the picture of a run in the documentation is that of npm run docs:pictures", async () => {
  for (const [file, picture] of Object.entries(await tracePictures()))
    expect([file, await readFile(file, "utf8")]).toEqual([file, picture]);
});
