/**
 * What lists of many documents are grouped by: the client takes four times as long for a document for each file. A part
 * has the files whose texts have ids that begin alike, a 64th of all: a single document for a memory could be larger
 * than 16 MB. What has no text is a part by itself.
 */
export const partOfListing = { kind: "$kind", part: { $cond: ["$textId", { $substrCP: ["$textId", 0, 1] }, "$_id"] } };
