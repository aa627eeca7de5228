/** @returns how long a load may take to open its connections, before anything is measured beside it */
export function openingSeconds(connections: number): number {
  return Math.max(1, Math.ceil(connections / 1_250));
}
