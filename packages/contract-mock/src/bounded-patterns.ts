/**
 * Asks the patterns of requests that could hold the mock. Nothing interrupts a regular expression, so a text that
 * `^(a+)+$` does not match would keep every other request waiting, for 40 characters for hours.
 *
 * So the service's own layer never gets such a pattern (servable-schema.ts). When a request comes, the checker's judge
 * asks the pattern for a text that is short enough (../values/patterns.ts). Every longer text fits it.
 */
import type { FastifyRequest } from 'fastify';
import { type Operation, patternOf, readJson, violationsOf } from '../../contract-tools/index.js';
import {
  type Contract,
  type ContractSchema,
  convertedWithin,
  InvalidRequestError,
} from '../../service/layer.js';
import { routableNames } from './route-names.js';
import { jsonText } from './samples.js';

/** Whether a pattern is to be asked for short texts only. */
export function isBounded(pattern: string): boolean {
  return Number.isFinite(patternOf(pattern)?.maxLength ?? Number.POSITIVE_INFINITY);
}

/** Whether a pattern of the contract's requests is to be asked for short texts only, and so not by the layer. */
export function hasBoundedPattern({ operations }: Pick<Contract, 'operations'>): boolean {
  const requests = operations.flatMap(({ parameters, requestBody }) => [
    ...parameters.map(({ schema }) => schema),
    ...Array.from(requestBody?.content.values() ?? [], ({ schema }) => schema),
  ]);
  return requests
    .flatMap((schema) => [...schemasWithin(schema)])
    .some(({ pattern, patternProperties }) => {
      const patterns = [pattern, ...Object.keys(patternProperties ?? {})];
      return patterns.some((one) => typeof one === 'string' && isBounded(one));
    });
}

/** The schema and all below it, of which one may contain itself. */
function schemasWithin(
  schema: ContractSchema,
  found = new Set<ContractSchema>(),
): ReadonlySet<ContractSchema> {
  if (found.has(schema)) return found;
  found.add(schema);
  convertedWithin(schema, (part) => schemasWithin(part, found));
  return found;
}

/**
 * Makes a check of a request that the layer has found right.
 *
 * @returns a function that throws an InvalidRequestError if a value does not match its pattern
 */
export function boundedPatternCheck(operations: readonly Operation[]): (request: FastifyRequest) => void {
  return ({ routeOptions, headers, body, parameters }) => {
    // Operations of one id differ in the media types of their bodies.
    const same = operations.filter(({ id }) => id === routeOptions.config.operation?.id);
    const type = headers['content-type']?.toLowerCase() ?? '';
    const ofBody = same.find((one) => type.startsWith(one.body?.mediaType ?? ' ')) ?? same[0];
    const names = routableNames(same[0]?.path ?? '');
    for (const { in: place, name, schema } of same[0]?.parameters ?? []) {
      const read = place === 'path' ? (names.get(name) ?? name) : name;
      refuseViolation(schema, objectOf(objectOf(parameters)[place])[read], `${place}/${name}`);
    }
    if (ofBody?.body !== undefined) refuseViolation(ofBody.body.schema, body, 'body');
  };
}

/** Takes a part of a request for an object; one that is absent has no members. */
function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function refuseViolation(schema: Operation['node'], value: unknown, where: string): void {
  if (value === undefined) return;
  const violations = violationsOf(schema, readJson(Buffer.from(jsonText(value))));
  const violation = violations.find(({ keyword }) => keyword === 'pattern');
  if (violation === undefined) return;
  throw new InvalidRequestError(`${where}${violation.pointer} is wrong: ${violation.message}.`);
}
