import { usageFault } from "./fault.js";

/** @throws CommandFault EUSAGE */
export function parsePort(given: string): number {
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given);
  throw usageFault(`--port ${given} is no port; pass a number from 0 to 65535`);
}
