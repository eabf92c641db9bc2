export type { AddressRange } from "../memories/address-ranges.js";
export { checkForgotten, checkMemoryFilter } from "../memories/memory-filter.js";
