// The page as users get it, with its client, in the only browser of the tests: needs `dist`, which `npm test` builds first.
export const suites = ["views", "editing", "inbox", "learnt", "memories", "outages", "own-view"];

for (const suite of suites) await import(`./browser/${suite}.js`);
