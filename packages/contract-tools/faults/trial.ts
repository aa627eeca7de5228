/** Lets the checker loose on one fault of a server, and serves the plain servers for that. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Scope } from '../src/base/scope.js';
import { check } from '../src/check/check.js';
import type { GivenCredentials, SchemeToken } from '../src/check/document/accounts.js';
import { type Rules, readRules } from '../src/check/document/rules.js';
import type { Report } from '../src/check/verdict/report.js';
import { type ApiDocument, readDocument } from '../src/document/read-document.js';
import { Bystanders } from './bystanders.js';
import { expectedOf, type Fault, type Handler, startFaultProxy, type World } from './fault-proxy.js';
import { everyOperation } from './models/plain/faults.js';
import { plainServers } from './models/plain-servers.js';

/** What the checker made of one fault. */
export interface Trial {
  readonly report: Report;
  /** Whether the report names the operation that is broken. */
  readonly found: boolean;
  /** What became of the items of others, if it is not as it was; nothing was looked at beside a fault. */
  readonly harm: readonly string[];
}

/** A server that keeps its document, except for what is broken in itself. */
export interface Served {
  readonly document: ApiDocument;
  /** The rules beyond OpenAPI and HTTP that the server promises to keep; if left out, all of them. */
  readonly rules?: Rules;
  readonly url: URL;
  readonly tokens: World['tokens'];
  /** The credentials of further schemes. */
  readonly schemeTokens?: readonly SchemeToken[];
}

/**
 * Runs the checker, until its first finding.
 *
 * @param cases the number of cases to generate for each operation; by default as many as usual
 * @throws {CannotCheckError} if the fault keeps the checker from trying anything
 */
export async function tryFault(served: Served, fault: Fault, seed: number, cases?: number): Promise<Trial> {
  const { document, rules, url, tokens, schemeTokens } = served;
  const { first, second, revoked } = tokens;
  const credentials: GivenCredentials = {
    token: { text: first, shell: '$CONTRACT_TOKEN' },
    otherToken: { text: second, shell: '$CONTRACT_OTHER_TOKEN' },
    revokedToken: { text: revoked, shell: '$CONTRACT_REVOKED_TOKEN' },
    schemeTokens,
  };
  // At a server without a fault, what others have must stay as it is.
  const bystanders =
    expectedOf(fault) === 'nothing' ? await Bystanders.make(document, url, credentials) : undefined;
  // A server that breaks HTTP itself is asked without a proxy, whose client would fail at it.
  const broken = fault.start({ tokens });
  const handler: Handler = (request, next) =>
    bystanders === undefined
      ? broken(request, next)
      : bystanders.handler(request, (one) => Promise.resolve(broken(one, next)));
  const proxy = fault.ofServer === undefined && (await startFaultProxy(url, handler));
  try {
    const report = await check({
      document,
      rules,
      url: proxy ? proxy.url : url,
      ...credentials,
      seed,
      cases,
      failFast: true,
    });
    const found = report.findings.some(({ operations }) =>
      operations.some((operation) => names(operation, fault.operation)),
    );
    return { report, found, harm: (await bystanders?.harm()) ?? [] };
  } finally {
    if (proxy) await proxy.close();
  }
}

/**
 * Starts a plain server, with nothing stored.
 *
 * @param fault the name of one of its faults
 */
export async function servePlain(
  scope: Scope,
  name: keyof typeof plainServers,
  fault: string | undefined,
): Promise<Served> {
  const { file, makeCredential, kioskOf, start } = plainServers[name];
  const document = readDocument(await readFile(file, 'utf8'), relative(process.cwd(), file));
  const tokens = { first: makeCredential(), second: makeCredential(), spare: makeCredential() };
  const url = await start(scope, Object.values(tokens), fault);
  const { first, second } = tokens;
  const kiosks = kioskOf && [
    { holder: 'first', scheme: 'KIOSK', text: kioskOf(first), shell: '$CONTRACT_TOKEN_KIOSK' } as const,
    {
      holder: 'second',
      scheme: 'KIOSK',
      text: kioskOf(second),
      shell: '$CONTRACT_OTHER_TOKEN_KIOSK',
    } as const,
  ];
  return {
    document,
    rules: await readRules(file),
    ...(kiosks && { schemeTokens: kiosks }),
    url,
    tokens: { ...tokens, revoked: makeCredential() },
  };
}

/** Whether a report names what a fault expects: an operationId, a method with the beginning of a path, or any. */
function names(reported: string, expected: string): boolean {
  if (expected === everyOperation) return true;
  return expected.includes(' ') ? reported.startsWith(expected) : reported === expected;
}
