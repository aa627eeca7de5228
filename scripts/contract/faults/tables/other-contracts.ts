/** Helpers for faults in servers of other contracts. */
import type { Fault, Handler, Next, ProxyAnswer, ProxyRequest, ServiceName } from '../fault-proxy.js';

export type Change = (
  answer: ProxyAnswer,
  request: ProxyRequest,
  next: Next,
) => ProxyAnswer | Promise<ProxyAnswer>;

export interface Place {
  readonly operation: string;
  readonly method: string;
  readonly path: RegExp;
}

/** Makes faults of one service. */
export function faultsOf(service: ServiceName): {
  /** A fault with state of its own. */
  breaking: (name: string, place: Place, start: () => Handler) => Fault;
  /** Changes the successful answers of one operation. */
  answering: (name: string, place: Place, change: Change) => Fault;
} {
  const breaking = (name: string, { operation }: Place, start: () => Handler): Fault => ({
    ...{ name, operation, service, start },
  });
  return {
    breaking,
    answering: (name, place, change) =>
      breaking(name, place, () => async (request, next) => {
        const answer = await next(request);
        return isAt(place, request) && answer.status < 300 ? change(answer, request, next) : answer;
      }),
  };
}

export function isAt({ method, path }: Place, request: ProxyRequest): boolean {
  return request.method === method && path.test(request.target);
}
