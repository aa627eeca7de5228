/** Reads from an answer where work that has begun is seen, and where its results are. */

import { headerValues } from '../../base/http/answer.js';
import { withoutKeys } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import { schemesOf } from '../../document/security.js';
import { answerLayers } from '../../resources/shape.js';
import { memberOf, membersNear, sameValue } from '../../values/json.js';
import { membersOf } from '../../values/sites.js';
import type { JudgedStep } from '../answers/attempt.js';
import { getAt, type Linked, leadsElsewhere, targetOf } from '../requests/followed.js';
import { bodyOf, isSilence, type Reply } from '../requests/reply.js';
import { targetFor } from '../requests/request.js';
import type { RequestValues } from '../requests/request-values.js';
import type { ProbeRun } from './probe-run.js';
import { namesState } from './work-state.js';

/** An answer links to few things that it has made. */
const maxResults = 5;

/** A link that leads to nothing that the document describes. */
export interface Nowhere {
  readonly leadsTo: string;
}

/** What work may have made. */
export interface Result extends Linked {
  /** Whether it may be something that was there before, and that everybody may see. */
  readonly isShared: boolean;
}

/** @returns where the answer says that its work is seen; undefined if it says nothing that can be followed */
export function monitorOf(
  run: ProbeRun,
  operation: Operation,
  begun: JudgedStep,
  values: RequestValues,
): Linked | Nowhere | undefined {
  const { description, exchange } = run;
  if (isSilence(begun.outcome)) return undefined;
  const [location] = ['location', 'operation-location', 'azure-asyncoperation'].flatMap((name) =>
    isSilence(begun.outcome) ? [] : headerValues(begun.outcome, name),
  );
  if (location !== undefined) {
    if (leadsElsewhere(exchange.url, location)) return undefined;
    const target = targetOf(exchange.url, begun.request.target, withoutKeys(location, schemesOf(operation)));
    if (target === undefined) return undefined;
    return getAt(description.operations, target) ?? { leadsTo: target };
  }
  const linked = monitorsByLink(run, operation, begun.outcome, values);
  return (
    linked.find(({ target }) => !isAbove(target, begun.request.target)) ??
    monitorById(run, operation, begun, values) ??
    linked[0]
  );
}

/** Whether a target is that of a request, or one in whose path it is: `/orders/1` is above `/orders/1/refunds`. */
export function isAbove(target: string, request: string): boolean {
  const [above = '', path = ''] = [target, request].map((one) => one.split('?')[0]);
  return path === above || path.startsWith(`${above}/`);
}

/** OpenAPI 3.0.3, "Link Object": the operation, and where in the answer its parameters are. */
function monitorsByLink(
  { description }: ProbeRun,
  { responses }: Operation,
  begun: Reply,
  values: RequestValues,
): Linked[] {
  return (responses.get(202)?.node.at('links')?.members() ?? []).flatMap(([, link]) => {
    const id = link.text('operationId');
    const operation = description.operations.find((one) => one.id === id && one.method === 'GET');
    if (operation === undefined) return [];
    const told = (link.at('parameters')?.members() ?? []).flatMap(([name, node]) => {
      const member = /^\$response\.body#\/([^/]+)$/.exec(
        typeof node.value === 'string' ? node.value : '',
      )?.[1];
      const text = member === undefined ? undefined : idIn(begun, member);
      return text === undefined ? [] : [[name.replace(/^path\./, ''), text] as const];
    });
    return linkedBy(operation, { ...values.path, ...Object.fromEntries(told) }) ?? [];
  });
}

/**
 * A GET whose last path parameter has the name of a member, or that shows what the 202 shows and takes its `id`.
 * What the request itself has named, such as the order that is refunded, is not what has begun. Of several, the
 * first that shows the same as the 202 is the likeliest, and then the first with a state.
 */
function monitorById(
  { description }: ProbeRun,
  operation: Operation,
  begun: JudgedStep,
  values: RequestValues,
): Linked | undefined {
  const shown = [...(operation.responses.get(202)?.content.values() ?? [])].map((schema) => schema?.key);
  const found = description.operations.flatMap((get) => {
    const name = /\{([^{}]+)\}$/.exec(get.path)?.[1];
    if (get.method !== 'GET' || name === undefined) return [];
    const answers = [...(get.responses.get(200)?.content.values() ?? [])].map((schema) => schema?.key);
    const isAlike = answers.some((key) => key !== undefined && shown.includes(key));
    const text =
      (name === 'id' && !isAlike ? undefined : idIn(begun.outcome, name)) ??
      (isAlike ? idIn(begun.outcome, 'id') : undefined);
    if (text === undefined || isNamed(values, name, text)) return [];
    const linked = linkedBy(get, { ...values.path, [name]: text });
    const isItem = linked === undefined || isAbove(linked.target, begun.request.target);
    const hasState = membersOf(answerLayers(get)).some((member) => namesState(member.name));
    return isItem ? [] : [{ linked, isAlike, hasState }];
  });
  const best = found.find(({ isAlike }) => isAlike) ?? found.find(({ hasState }) => hasState) ?? found[0];
  return best?.linked;
}

/** Whether a request has this value under this name. An `id` may be that of anything. */
function isNamed({ path, query, body }: RequestValues, name: string, text: string): boolean {
  const named = [path[name], query[name], memberOf(body, name)].filter((value) => value !== undefined);
  return name !== 'id' && named.some((value) => String(value) === text);
}

/** @returns undefined if a parameter of the path has no value */
function linkedBy(operation: Operation, path: RequestValues['path']): Linked | undefined {
  const names = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name);
  if (names.some((name) => path[name] === undefined)) return undefined;
  const own = Object.fromEntries(names.map((name) => [name, path[name] ?? '']));
  return { operation, path: own, target: targetFor(operation, { path: own }) };
}

function idIn(reply: Reply, member: string): string | undefined {
  const value = memberOf(bodyOf(reply), member);
  return typeof value === 'string' || typeof value === 'bigint' ? String(value) : undefined;
}

/**
 * The documented operations to which the last answer leads: by its Location, by links, and by ids in its body.
 * An id that the 202 had already is not of anything that the work has made. A new one may be, or may not: work
 * with the member `currency: EUR` has not made `/currencies/EUR`.
 */
export function resultsIn(
  run: ProbeRun,
  monitor: Linked,
  begun: JudgedStep,
  over: JudgedStep,
): readonly Result[] {
  const early = linksIn(run, monitor, begun.outcome);
  const linked = linksIn(run, monitor, over.outcome).flatMap((link) => {
    const result = getAt(run.description.operations, link);
    return result === undefined ? [] : [{ ...result, isShared: early.includes(link) }];
  });
  return [...linked, ...resultsById(run, monitor, begun, over)].slice(0, maxResults);
}

/** The targets of an answer's Location and of the links in its body, without that of the monitor. */
function linksIn({ exchange }: ProbeRun, { operation, target }: Linked, reply: Reply): string[] {
  if (isSilence(reply)) return [];
  const links = [
    ...headerValues(reply, 'location'),
    ...membersNear(bodyOf(reply)).flatMap(([, value]) =>
      typeof value === 'string' && /^(?:https?:\/)?\//.test(value) ? [value] : [],
    ),
  ];
  const targets = links.flatMap((link) => {
    if (leadsElsewhere(exchange.url, link)) return [];
    return targetOf(exchange.url, target, withoutKeys(link, schemesOf(operation))) ?? [];
  });
  return [...new Set(targets)].filter((one) => one !== target);
}

function resultsById(
  { description }: ProbeRun,
  monitor: Linked,
  begun: JudgedStep,
  over: JudgedStep,
): Result[] {
  const early = membersNear(bodyOf(begun.outcome));
  const members = membersNear(bodyOf(over.outcome)).filter(
    ([name, value]) => !early.some(([other, before]) => other === name && sameValue(before, value)),
  );
  return description.operations.flatMap((get) => {
    const [parameter, ...others] = get.parameters.filter((one) => one.in === 'path');
    if (get.method !== 'GET' || get === monitor.operation || parameter === undefined || others.length > 0)
      return [];
    const id = members.find(([name]) => name === parameter.name && name !== 'id')?.[1];
    const isId = typeof id === 'string' || typeof id === 'bigint';
    const linked = isId ? linkedBy(get, { [parameter.name]: String(id) }) : undefined;
    return linked === undefined ? [] : [{ ...linked, isShared: true }];
  });
}
