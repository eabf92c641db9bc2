/**
 * Finds the name that was probably meant: one of the two names begins with the other, or at most one letter in three
 * differs. Upper and lower case count as the same. Returns undefined if no name is near.
 */
export function nearestName(given: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let fewest = Infinity;
  for (const name of names) {
    const changes = countChanges(given.toLowerCase(), name.toLowerCase());
    if (changes >= fewest) continue;
    nearest = name;
    fewest = changes;
  }
  return nearest;
}

const minPrefixChars = 3;

/** Counts the letters that differ, or returns Infinity if the names are too different. */
function countChanges(given: string, name: string): number {
  const [longer, shorter] = given.length > name.length ? [given, name] : [name, given];
  if (longer.startsWith(shorter) && shorter.length >= minPrefixChars) return longer.length - shorter.length;
  const most = Math.floor(shorter.length / 3);
  if (longer.length - shorter.length > most) return Infinity;
  const changes = levenshteinDistance(given, name);
  return changes > most ? Infinity : changes;
}

function levenshteinDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
