const connectionString = /mongodb(?:\+srv)?:\/\//i;

/** Removes the secrets of the connection strings in a text, up to the next space. */
function redactUris(text: string): string {
  return text
    .replaceAll(/(mongodb(?:\+srv)?:\/\/)([^:@/\s]*):?\S*@/gi, "$1$2:***@")
    .replaceAll(/([?&](?:[^=&\s]*(?:password|token)[^=&\s]*|authMechanismProperties)=)[^&\s]*/gi, "$1***");
}

/** Removes the secrets of a connection string, also secrets with unescaped spaces, slashes or at signs. */
export function redactUri(uri: string): string {
  return redactUris(uri.replace(/(mongodb(?:\+srv)?:\/\/)([^:@/]*):?[^]*@/i, "$1$2:***@"));
}

/**
 * Returns a function that removes passwords from any text. @param given arguments that may contain connection strings
 */
export function createRedactor(given: readonly (string | undefined)[]): (text: string) => string {
  const uris = given.flatMap((argument) => {
    const start = argument?.search(connectionString) ?? -1;
    return argument === undefined || start === -1 ? [] : [argument.slice(start)];
  });
  return (text) => redactUris(uris.reduce((redacted, uri) => redacted.replaceAll(uri, () => redactUri(uri)), text));
}
