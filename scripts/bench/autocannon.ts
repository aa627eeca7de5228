import autocannon from 'autocannon';
import { plant } from './database.js';
import { FailedLoadError, type Load, type SendLoad, scattering } from './load.js';

/** Load from an npm package, for machines without wrk. It takes as much CPU as a fast contestant. */
export function autocannonLoad(): SendLoad {
  return async (address, load) => {
    let id = load.firstId;
    const result = await autocannon({
      url: address,
      connections: load.connections,
      duration: load.seconds,
      ...(load.perSecond !== undefined && { overallRate: load.perSecond }),
      requests: [{ setupRequest: (request) => ({ ...request, ...requestOf(load, id++) }) }],
    });
    const broken = result.errors + result.non2xx;
    if (result.requests.total === 0 || broken > 0) {
      throw new FailedLoadError(`Of ${result.requests.total} requests, ${broken} failed.`);
    }
    const { p50, p99 } = result.latency;
    return { perSecond: result.requests.total / result.duration, p50, p99 };
  };
}

function requestOf({ kind, tokens, scattered }: Load, number: number): autocannon.Request {
  const headers = { authorization: `Bearer ${tokens[number % tokens.length]}` };
  const id = scattered ? (number * scattering.factor) % scattering.modulus : number;
  if (kind === 'create') {
    return {
      method: 'POST',
      path: '/plants',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ id, ...plant }),
    };
  }
  if (kind === 'delete') return { method: 'DELETE', path: `/plants/${id}`, headers };
  return { method: 'GET', path: '/plants?limit=20', headers };
}
