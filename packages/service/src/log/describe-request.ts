/**
 * Decides what a line of the log says of a request.
 *
 * A client can put its token into a URL by mistake, in any form, and anybody can send long URLs again and
 * again. So no text of a URL gets into a line. A line has the route instead, which the contract names, and of
 * the parameters those values that are numbers, booleans, UUIDs or members of an enum, once they are known to
 * fit the contract. Other parameters have "…" for their value.
 *
 * For example, `DELETE /plants/7` is `"route":"/plants/:id","parameters":{"id":"7"}`. A path without a route,
 * such as `/plantz?key=plant_0aB`, is `"pathLength":7`.
 */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { callersId } from './request-id.js';

/** The serializer of `req`. Fastify's type does not say that `ip` is undefined if the client has gone. */
export function describeRequest(request: FastifyRequest): object {
  const { id, method, ip, caller, headers } = request;
  return {
    id,
    method,
    ...describeTarget(request),
    ip: addressIn(ip ?? ''),
    owner: caller,
    ...describeCallersIds(headers),
  };
}

function describeTarget({ url, routeOptions, parameters }: FastifyRequest): object {
  const { url: route, config } = routeOptions;
  if (route === undefined) return { pathLength: url.replace(/\?.*/s, '').length };
  const shown: Record<string, string> = {};
  for (const { name, in: part, schema } of config.operation?.parameters ?? []) {
    // They are undefined until all of them are known to fit.
    const value = part === 'path' || part === 'query' ? parameters?.[part]?.[name] : undefined;
    if (value !== undefined) shown[name] = isPlain(value, schema) ? String(value) : '…';
  }
  return Object.keys(shown).length === 0 ? { route } : { route, parameters: shown };
}

/** @returns whether a value that fits its schema is a number, a boolean, a UUID or a member of an enum */
function isPlain(value: unknown, schema: Readonly<Record<string, unknown>>): boolean {
  if (typeof value === 'string') return 'enum' in schema || schema['format'] === 'uuid';
  return ['number', 'bigint', 'boolean'].includes(typeof value);
}

/**
 * @returns the address without its zone; undefined if it is none: a proxy may pass on any text of a client in
 * X-Forwarded-For, and so may the zone of an address be
 */
function addressIn(text: string): string | undefined {
  const [address = ''] = text.split('%');
  return isIP(address) === 0 ? undefined : address;
}

/**
 * The form of https://www.w3.org/TR/trace-context/#traceparent-header, which has the id of the trace second.
 */
const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** @returns the ids by which the caller finds the request in its own log */
function describeCallersIds(headers: FastifyRequest['headers']): object {
  const { traceparent } = headers;
  const [, traceId] = traceparentForm.exec(String(traceparent)) ?? [];
  return { traceId, requestId: callersId(headers) };
}
