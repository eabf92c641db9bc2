import { readFile } from "node:fs/promises";
import { expect, it } from "@jest/globals";
import { tracePictures } from "../../../tools/pictures/traces.js";
import { traced } from "../../helpers/traced.js";

const spans = traced();

it("the pictures of traces in the documentation are those of npm run docs:pictures", async () => {
  for (const [file, picture] of Object.entries(await tracePictures(spans)))
    expect([file, await readFile(file, "utf8")]).toEqual([file, picture]);
});
