/** Seconds in which a load opens its connections, before anything is measured beside it. */
export function openingSeconds(connections: number): number {
  return Math.max(1, Math.ceil(connections / 1_250));
}
