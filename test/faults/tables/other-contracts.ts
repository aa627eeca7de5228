/** Makes faults in servers of other contracts than the plant store's. */
import type {
  Fault,
  Handler,
  Next,
  ProxyAnswer,
  ProxyRequest,
  ServiceName,
  World,
} from '../../../packages/contract-tools/faults.js';
import { bearer, header } from './parts.js';

type Change = (answer: ProxyAnswer, request: ProxyRequest, next: Next) => ProxyAnswer | Promise<ProxyAnswer>;

/** An operation, and how its requests are told from others. */
export interface Route {
  readonly operation: string;
  readonly method: string;
  /** Matches the path and query of its requests. */
  readonly path: RegExp;
}

/** Returns functions that make faults of one service. */
export function faultsOf(service: ServiceName): {
  /** Makes a fault with state of its own, or one that uses tokens. */
  breaking: (name: string, route: Route, start: (world: World) => Handler) => Fault;
  /** Makes a fault that changes the successful answers of one operation. */
  answering: (name: string, route: Route, change: Change) => Fault;
} {
  const breaking = (name: string, { operation }: Route, start: (world: World) => Handler): Fault => ({
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

/** Makes one operation take whoever has no token for the first owner. */
export function openTo(route: Route): (world: World) => Handler {
  return ({ tokens }) =>
    (request, next) =>
      next(
        isAt(route, request) && header(request, 'authorization') === ''
          ? bearer(request, tokens.first)
          : request,
      );
}
