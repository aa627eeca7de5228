/** Reads from an answer where work that has begun is seen, and where its results are. */
import { withoutKey } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import { headerValues } from '../../kit/http/answer.js';
import { isObject } from '../../values/json.js';
import type { JudgedStep } from '../answers/attempt.js';
import { getAt, type Linked, leadsElsewhere, targetOf } from '../requests/followed.js';
import { bodyOf, isSilence, type Reply } from '../requests/reply.js';
import { type RequestValues, targetFor } from '../requests/request.js';
import type { ProbeRun } from './probe-run.js';
import { membersNear } from './work-state.js';

/** An answer links to few things that it has made. */
const maxResults = 5;

/** A link that leads to nothing that the document describes. */
export interface Nowhere {
  readonly leadsTo: string;
  /** What was found there, if somebody has looked. */
  readonly found?: JudgedStep;
}

/** Where the answer says that its work is seen. */
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
    const target = targetOf(exchange.url, begun.request.target, withoutKey(location, operation.scheme));
    if (target === undefined) return undefined;
    return getAt(description.operations, target) ?? { leadsTo: target };
  }
  return (
    monitorByLink(run, operation, begun.outcome, values) ?? monitorById(run, operation, begun.outcome, values)
  );
}

/** OpenAPI 3.0.3, "Link Object": the operation, and where in the answer its parameters are. */
function monitorByLink(
  { description }: ProbeRun,
  { responses }: Operation,
  begun: Reply,
  values: RequestValues,
): Linked | undefined {
  for (const [, link] of responses.get(202)?.node.at('links')?.members() ?? []) {
    const id = link.text('operationId');
    const operation = description.operations.find((one) => one.id === id && one.method === 'GET');
    if (operation === undefined) continue;
    const told = (link.at('parameters')?.members() ?? []).flatMap(([name, node]) => {
      const member = /^\$response\.body#\/([^/]+)$/.exec(
        typeof node.value === 'string' ? node.value : '',
      )?.[1];
      const text = member === undefined ? undefined : idIn(begun, member);
      return text === undefined ? [] : [[name.replace(/^path\./, ''), text] as const];
    });
    const linked = linkedBy(operation, { ...values.path, ...Object.fromEntries(told) });
    if (linked !== undefined) return linked;
  }
  return undefined;
}

/** A GET whose last path parameter has the name of a member, or that shows what the 202 shows and takes its `id`. */
function monitorById(
  { description }: ProbeRun,
  operation: Operation,
  begun: Reply,
  values: RequestValues,
): Linked | undefined {
  const shown = [...(operation.responses.get(202)?.content.values() ?? [])].map((schema) => schema?.key);
  for (const get of description.operations) {
    const name = /\{([^{}]+)\}$/.exec(get.path)?.[1];
    if (get.method !== 'GET' || name === undefined) continue;
    const answers = [...(get.responses.get(200)?.content.values() ?? [])].map((schema) => schema?.key);
    const isAlike = answers.some((key) => key !== undefined && shown.includes(key));
    const text =
      (name === 'id' && !isAlike ? undefined : idIn(begun, name)) ??
      (isAlike ? idIn(begun, 'id') : undefined);
    const linked = text === undefined ? undefined : linkedBy(get, { ...values.path, [name]: text });
    if (linked !== undefined) return linked;
  }
  return undefined;
}

/** @returns undefined if a parameter of the path has no value */
function linkedBy(operation: Operation, path: RequestValues['path']): Linked | undefined {
  const names = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name);
  if (names.some((name) => path[name] === undefined)) return undefined;
  const own = Object.fromEntries(names.map((name) => [name, path[name] ?? '']));
  return { operation, path: own, target: targetFor(operation, { path: own }) };
}

function idIn(reply: Reply, member: string): string | undefined {
  const body = bodyOf(reply);
  const value = isObject(body) ? body[member] : undefined;
  return typeof value === 'string' || typeof value === 'bigint' ? String(value) : undefined;
}

/** The documented operations to which the last answer leads: by its Location, by links, and by ids in its body. */
export function resultsIn(
  { description, exchange }: ProbeRun,
  { operation, target }: Linked,
  over: JudgedStep,
): Linked[] {
  if (isSilence(over.outcome)) return [];
  const members = membersNear(bodyOf(over.outcome));
  const links = [
    ...headerValues(over.outcome, 'location'),
    ...members.flatMap(([, value]) =>
      typeof value === 'string' && /^(?:https?:\/)?\//.test(value) ? [value] : [],
    ),
  ];
  const byId = description.operations.flatMap((get) => {
    const [parameter, ...others] = get.parameters.filter((one) => one.in === 'path');
    if (get.method !== 'GET' || get === operation || parameter === undefined || others.length > 0) return [];
    const id = members.find(([name]) => name === parameter.name && name !== 'id')?.[1];
    const isId = typeof id === 'string' || typeof id === 'bigint';
    return (isId ? linkedBy(get, { [parameter.name]: String(id) }) : undefined) ?? [];
  });
  const targets = links.flatMap((link) => {
    if (leadsElsewhere(exchange.url, link)) return [];
    return targetOf(exchange.url, target, withoutKey(link, operation.scheme)) ?? [];
  });
  const linked = [...new Set(targets)].flatMap((one) =>
    one === target ? [] : (getAt(description.operations, one) ?? []),
  );
  return [...linked, ...byId].slice(0, maxResults);
}
