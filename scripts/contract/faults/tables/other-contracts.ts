/** Helpers for faults in servers of other contracts. */
import type { Fault, Handler, Next, ProxyAnswer, ProxyRequest, ServiceName } from '../fault-proxy.js';

export type Change = (
  answer: ProxyAnswer,
  request: ProxyRequest,
  next: Next,
) => ProxyAnswer | Promise<ProxyAnswer>;

export interface Route {
  readonly operation: string;
  readonly method: string;
  readonly path: RegExp;
}

/** Makes faults of one service. */
export function faultsOf(service: ServiceName): {
  /** A fault with state of its own. */
  breaking: (name: string, route: Route, start: () => Handler) => Fault;
  /** Changes the successful answers of one operation. */
  answering: (name: string, route: Route, change: Change) => Fault;
} {
  const breaking = (name: string, { operation }: Route, start: () => Handler): Fault => ({
    ...{ name, operation, service, start },
  });
  return {
    breaking,
    answering: (name, route, change) =>
      breaking(name, route, () => async (request, next) => {
        const answer = await next(request);
        return isAt(route, request) && answer.status < 300 ? change(answer, request, next) : answer;
      }),
  };
}

export function isAt({ method, path }: Route, request: ProxyRequest): boolean {
  return request.method === method && path.test(request.target);
}
