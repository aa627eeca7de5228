/** Pages with an offset, and the total of all of them. */
import { integerParameter } from '../plain/request.js';
import type { Answered } from '../plain/server.js';
import type { Members } from '../plain/values.js';

export interface Window {
  readonly limit: number;
  readonly offset: number;
}

/** @throws {Problem} with 400 */
export function windowOf(query: URLSearchParams): Window {
  return {
    limit: integerParameter(query, 'limit', { least: 1, most: 100, otherwise: 20 }),
    offset: integerParameter(query, 'offset', { least: 0, most: 100_000, otherwise: 0 }),
  };
}

export function pageOf(all: readonly Members[], { limit, offset }: Window): Answered {
  return { status: 200, body: { items: all.slice(offset, offset + limit), total: all.length } };
}
