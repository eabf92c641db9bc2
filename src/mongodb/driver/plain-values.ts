/** Values as JavaScript's own, whatever the client's defaults are. */
export const asPlainValues = { promoteValues: true, promoteLongs: true, useBigInt64: false, raw: false } as const;
