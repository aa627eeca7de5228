import { loadMeasures } from '../measures.js';
import type { Measured } from '../results.js';
import type { Session } from '../session.js';
import { measureShape } from './created.js';
import { lacksWrk } from './with-wrk.js';

const title = 'Creates of 500 clients, a connection for each create';

export async function measureSingle(session: Session): Promise<Measured[]> {
  if (lacksWrk(session, 'single')) return [];
  const measured = await measureShape(session, title, { connections: 500, newConnections: true });
  return loadMeasures('single', title, measured);
}
