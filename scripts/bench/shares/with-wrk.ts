import type { Session } from '../session.js';

/** These loads need wrk: autocannon would take the CPU time that is to be shared. */
export function lacksWrk({ missing, tools }: Session, measure: string): boolean {
  if (tools.wrk !== undefined) return false;
  missing.push(`${measure}: It needs wrk.`);
  return true;
}

/** Seconds in which a load opens its connections, before anything is measured beside it. */
export function openingSeconds(connections: number): number {
  return Math.max(1, Math.ceil(connections / 1_250));
}
