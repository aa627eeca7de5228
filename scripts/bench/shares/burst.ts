import type { Measured } from '../results.js';
import { seriesOf } from '../rounds.js';
import type { Session } from '../session.js';
import { measureShape } from './created.js';
import { lacksWrk } from './with-wrk.js';

const title = 'Creates over 1,000 connections opened at once';
/**
 * Seconds in which late answers are awaited: with one listener, a connection can wait for longer than a
 * second.
 */
const grace = 3;

/** The longest that any client waits for an answer, its first one included. */
export async function measureBurst(session: Session): Promise<Measured[]> {
  if (lacksWrk(session, 'burst')) return [];
  const measured = await measureShape(session, title, { connections: 1_000, grace });
  const series = seriesOf(measured, ({ worst }) => worst);
  return [{ name: 'burst-worst', title: `${title}: the longest wait`, unit: 'ms', better: 'less', series }];
}
