/** Sends requests outside the document: other methods on its paths, and other paths. */

import { randomBytes } from 'node:crypto';
import type { Path } from '../../../../exact-json/index.js';
import { type Answer, headerValues } from '../../base/http/answer.js';
import type { Operation } from '../../document/operations.js';
import type { RuleName } from '../../document/rule-table.js';
import { show, writeJson } from '../../values/json.js';
import { brief, checkErrorAnswer } from '../answers/check-answer.js';
import type { Breach, Step } from '../answers/findings.js';
import type { Description } from '../document/description.js';
import { forEach } from '../requests/at-once.js';
import { plainRequest } from '../requests/plain-request.js';
import { isSilence } from '../requests/reply.js';
import { acceptOf, type Request, targetFor } from '../requests/request.js';
import type { ProbeRun } from './probe-run.js';
import type { RowTrial } from './trial.js';

/** The methods of OpenAPI, and some of HTTP that OpenAPI does not know (RFC 5789, RFC 4918 and others). */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
export const safeMethods = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

interface Stray {
  readonly method: string;
  readonly target: string;
  readonly base?: string | undefined;
  /** The path as the document has it, or as it is sent. */
  readonly path: string;
  readonly status: 404 | 405;
  readonly allowed: readonly string[];
  readonly place: Path;
  readonly authorized: boolean;
  readonly by: RuleName;
  readonly body?: Buffer | undefined;
}

export async function probeOtherMethods(trial: RowTrial): Promise<void> {
  const { description } = trial.run;
  const strays = [...description.paths].flatMap((path) => methodsBeside(description, ...path));
  await forEach(trial.run, strays, (stray) => tryStray(trial, stray));
}

export async function probeOtherPaths(trial: RowTrial): Promise<void> {
  const strays = otherPaths(trial.run).filter(({ by }) => trial.isOn(by));
  await forEach(trial.run, strays, (stray) => tryStray(trial, stray));
}

export async function probeMethodsOnOwnItems(trial: RowTrial): Promise<void> {
  for (const [path, operations] of trial.run.description.paths) await tryOnOwnItem(trial, path, operations);
}

/** Unsafe methods are tried with a good token on an item of the checker's own, and on nothing else. */
async function tryOnOwnItem(trial: RowTrial, path: string, operations: readonly Operation[]): Promise<void> {
  const own = await trial.run.meaning.ownItem(path);
  const [operation] = operations;
  if (own === undefined || operation === undefined) return;
  const allowed = methodsAt(trial.run.description, path, operations);
  const target = targetFor(operation, { path: { ...plainRequest(operation).path, ...own.path } });
  const body = own.body === undefined ? undefined : Buffer.from(writeJson(own.body));
  for (const method of methods.filter((other) => !safeMethods.includes(other) && !allowed.includes(other))) {
    await tryStray(trial, {
      ...{ method, target, base: operation.base, path, status: 405, allowed, place: ['paths', path] },
      ...{ authorized: true, by: 'undocumented-methods', body: method === 'DELETE' ? undefined : body },
    });
  }
  await own.discard();
}

/** The methods that the document has at a path, also those of operations that are not tried. */
function methodsAt({ excluded }: Description, path: string, operations: readonly Operation[]): string[] {
  const others = excluded.filter((operation) => operation.path === path);
  return [...operations, ...others].map(({ method }) => method);
}

/** Requests with the methods that a path does not have. */
export function methodsBeside(
  description: Description,
  path: string,
  operations: readonly Operation[],
): Stray[] {
  const allowed = methodsAt(description, path, operations);
  const [operation] = operations;
  if (operation === undefined) return [];
  const target = targetFor(operation, { path: plainRequest(operation).path });
  return methods
    .filter((method) => !allowed.includes(method) && !isHeadOfGet(method, allowed))
    .flatMap((method) =>
      waysToTry(method, isClosed(operations)).map((way) => ({
        ...{ method, target, base: operation.base, path, status: 405 as const, allowed, ...way },
        ...{ place: ['paths', path], by: 'undocumented-methods' as const },
      })),
    );
}

/** If the server closes the connection after HEAD, bytes after the answer are seen. */
export function connectionOf(method: string): Request['headers'] {
  return method === 'HEAD' ? [['Connection', 'close']] : [];
}

/** RFC 9110, section 9.1: HEAD may be answered where GET is, documented or not. */
function isHeadOfGet(method: string, allowed: readonly string[]): boolean {
  return method === 'HEAD' && allowed.includes('GET');
}

/** A body that no server can carry out. */
const brokenBody = Buffer.from('{');

/**
 * A method that the server has after all shows by its 401 without credentials. With them, it would do its work,
 * on what may be somebody else's: so only methods that RFC 9110, section 9.2.1 calls safe are sent so, and those
 * that refuse a broken body before they do anything. DELETE has no body to refuse. If a path asks for no credentials,
 * nothing keeps an unsafe method from doing its work, so it is tried on the checker's own items only.
 */
function waysToTry(method: string, isClosedPath: boolean): Pick<Stray, 'authorized' | 'body'>[] {
  const strange = { authorized: false };
  if (safeMethods.includes(method)) return [{ authorized: true }, strange];
  if (!isClosedPath) return [];
  return method === 'DELETE' ? [strange] : [strange, { authorized: true, body: brokenBody }];
}

/** Whether all operations of a path ask for credentials. */
function isClosed(operations: readonly Operation[]): boolean {
  return operations.every(({ secured, anonymous }) => secured && !anonymous);
}

function otherPaths({ description }: ProbeRun): Stray[] {
  const word = `none-${randomBytes(4).toString('hex')}`;
  const known = [...description.paths].map(([path, operations]) => ({
    operations,
    target: operations[0] ? targetFor(operations[0], { path: plainRequest(operations[0]).path }) : path,
  }));
  const strays = new Map<string, RuleName>([[`/${word}`, 'undocumented-paths']]);
  /** A server to which these are the path that they look like would do there what the method says. */
  const looksOpen = new Set<string>();
  for (const { target, operations } of known) {
    strays.set(`${target}/${word}/${word}`, 'undocumented-paths');
    strays.set(`${target}x${word}/${word}`, 'undocumented-paths');
    const respelt = target.replace(/[a-z]+/, (letters) => letters.toUpperCase());
    strays.set(respelt, 'path-case');
    if (!isClosed(operations)) looksOpen.add(respelt);
    strays.set(`${target}.json/${word}`, 'undocumented-paths');
    strays.set(`/${word}${target}`, 'undocumented-paths');
  }
  return [...strays].flatMap(([target, by]) =>
    (looksOpen.has(target) ? ['GET'] : ['GET', 'POST', 'DELETE']).map((method) => ({
      ...{ method, target, path: target.replaceAll(word, '…'), status: 404 as const, allowed: [] },
      ...{ place: ['paths'], authorized: safeMethods.includes(method), by },
    })),
  );
}

async function tryStray(trial: RowTrial, stray: Stray): Promise<void> {
  const id = `${stray.method} ${stray.path}`;
  trial.begin({ id });
  const step = await sendStray(trial.run, stray);
  const { outcome } = step;
  const says = `the answer is ${stray.status}`;
  const breaches: Breach[] = isSilence(outcome)
    ? [{ rule: 'no answer', says, path: stray.place, did: outcome.reason }]
    : checkStray(trial.run, stray, outcome);
  const blamed = breaches.map((breach) => ({ by: stray.by, ...breach }));
  trial.record({ id }, id, [step], ...blamed);
}

export async function sendStray(
  { accounts, description, exchange }: ProbeRun,
  { method, target, path, authorized, body, base }: Stray,
): Promise<Step> {
  const [known = description.operations.find(({ secured }) => secured)] = description.paths.get(path) ?? [];
  const request = {
    method,
    target,
    base,
    headers: [
      ...acceptOf(description.errorTypes),
      ...connectionOf(method),
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
    ],
    body,
    credentials: known && authorized ? accounts.first.shown(known) : undefined,
  };
  return { request, outcome: await exchange.send(request) };
}

function checkStray(
  { description }: ProbeRun,
  { method, status, allowed, place }: Stray,
  answer: Answer,
): Breach[] {
  const breach = (rule: string, says: string): Breach => ({
    ...{ rule, says, path: place, did: brief(answer) },
    isHabit: true,
  });
  if (answer.status !== status) {
    const what = status === 405 ? `methods are ${allowed.join(', ')}` : 'path is not in the document';
    return [
      breach(`answered ${answer.status}, not ${status}`, `the ${what}; any other is answered ${status}`),
    ];
  }
  // RFC 9110, section 9.3.2: the answer to HEAD has no body; its framing has been checked.
  const breaches =
    method === 'HEAD'
      ? checkErrorAnswer({ ...description, errorSchema: undefined }, answer, place)
      : checkErrorAnswer(description, answer, place);
  if (status === 405) breaches.push(...checkAllow(allowed, answer, breach));
  return breaches;
}

/** RFC 9110, section 15.5.6: a 405 lists the methods that there are. */
function checkAllow(
  allowed: readonly string[],
  answer: Answer,
  breach: (rule: string, says: string) => Breach,
): Breach[] {
  const isJudged = (method: string): boolean => !isHeadOfGet(method, allowed);
  const listed = allowedBy(answer).filter(isJudged);
  if (listed.toSorted().join() === allowed.filter(isJudged).toSorted().join()) return [];
  const values = headerValues(answer, 'allow');
  return [breach(`Allow is ${show(values)}`, `Allow lists ${allowed.join(', ')}, and nothing else`)];
}

/** The methods in the header Allow of an answer (RFC 9110, section 10.2.1). */
export function allowedBy(answer: Answer): string[] {
  return headerValues(answer, 'allow')
    .join(',')
    .split(',')
    .map((method) => method.trim())
    .filter((method) => method !== '');
}
