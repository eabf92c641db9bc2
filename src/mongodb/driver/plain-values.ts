/** Reads values as JavaScript's own, whatever the defaults of the client are. */
export const asPlainValues = { promoteValues: true, promoteLongs: true, useBigInt64: false, raw: false } as const;
