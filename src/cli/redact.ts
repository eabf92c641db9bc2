const connectionString = /mongodb(?:\+srv)?:\/\//i;

/** Any text without the secrets of the connection strings in it, as far as they end at a space. */
function redactUris(text: string): string {
  return text
    .replaceAll(/(mongodb(?:\+srv)?:\/\/)([^:@/\s]*):?\S*@/gi, "$1$2:***@")
    .replaceAll(/([?&](?:[^=&\s]*(?:password|token)[^=&\s]*|authMechanismProperties)=)[^&\s]*/gi, "$1***");
}

/** A connection string without its secrets, also those with spaces, slashes or at signs that nobody escaped. */
export function redactUri(uri: string): string {
  return redactUris(uri.replace(/(mongodb(?:\+srv)?:\/\/)([^:@/]*):?[^]*@/i, "$1$2:***@"));
}

/** A function that takes the passwords out of any text, those of the strings given to the program by name. */
export function redactorOf(given: readonly (string | undefined)[]): (text: string) => string {
  const uris = given.flatMap((argument) => {
    const start = argument?.search(connectionString) ?? -1;
    return argument === undefined || start === -1 ? [] : [argument.slice(start)];
  });
  return (text) => redactUris(uris.reduce((redacted, uri) => redacted.replaceAll(uri, () => redactUri(uri)), text));
}
