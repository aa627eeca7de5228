import autocannon from 'autocannon';
import { newPlantText } from '../kit/plants.js';
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
    // Of a mix, by hand, a repeat is a conflict.
    const broken = result.errors + (load.kind === 'mix' ? 0 : result.non2xx);
    if (result.requests.total === 0 || broken > 0) {
      throw new FailedLoadError(`Of ${result.requests.total} requests, ${broken} failed.`);
    }
    const { p50, p99, max: worst } = result.latency;
    const requests = result.requests.total;
    return { requests, perSecond: requests / result.duration, p50, p99, worst };
  };
}

/** Of each hundred requests of a mix. */
function kindInMix(number: number): Exclude<Load['kind'], 'mix'> {
  const place = number % 20;
  if (place === 0) return 'delete';
  return place % 5 === 1 ? 'create' : 'page';
}

function requestOf(load: Load, number: number): autocannon.Request {
  const { tokens, scattered } = load;
  const kind = load.kind === 'mix' ? kindInMix(number) : load.kind;
  const headers = { authorization: `Bearer ${tokens[number % tokens.length]}` };
  const id = scattered ? (number * scattering.factor) % scattering.modulus : number;
  if (kind === 'create') {
    return {
      method: 'POST',
      path: '/plants',
      headers: { ...headers, 'content-type': 'application/json' },
      body: newPlantText({ id, ...plant }),
    };
  }
  if (kind === 'delete') return { method: 'DELETE', path: `/plants/${id}`, headers };
  return { method: 'GET', path: kind === 'list' ? '/plants' : '/plants?limit=20', headers };
}
