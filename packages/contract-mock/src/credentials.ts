/**
 * Checks credentials as the document asks for them: a bearer token, user and password, an API key, or several of
 * these at once. A front end is tried with the header that it will send to the real server.
 *
 * By default every credential is good, so that a developer can write any. With a list, those of the list are good,
 * and all others are refused as in a real server.
 */
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { isFit, type Scheme, schemeOf, wordsFor } from '../../contract-tools/index.js';
import type { Contract } from '../../service/layer.js';

/** Schemes that a request meets together; empty if nobody need be known. */
type Requirement = readonly Scheme[];

/** The alternatives of each operation, by its id; absent if the operation is public. */
export type Requirements = ReadonlyMap<string, readonly Requirement[]>;

/** An alternative with a scheme that one text does not meet, such as a client certificate, is left out. */
export function requirementsOf({ root, operations }: Pick<Contract, 'root' | 'operations'>): Requirements {
  const schemes = new Map(
    (root.at('components', 'securitySchemes')?.members() ?? []).map(([name, node]) => [name, schemeOf(node)]),
  );
  const found = operations.flatMap(({ id, method, path }) => {
    const operation = root.at('paths', path, method.toLowerCase());
    const written =
      operation
        ?.at('security')
        ?.members()
        .map(([, node]) => node) ?? root.list('security');
    const alternatives = written.flatMap((requirement): Requirement[] => {
      const names = requirement.members().map(([name]) => name);
      const known = names.flatMap((name) => schemes.get(name) ?? []);
      return known.length === names.length ? [known] : [];
    });
    return alternatives.flat().length === 0 ? [] : [[id, alternatives] as const];
  });
  return new Map(found);
}

/** Names the credentials that the document asks for; undefined if it asks for none. */
export function schemesInWords(requirements: Requirements): string | undefined {
  const all = [...requirements.values()].flat(2);
  const schemes = [...new Map(all.map((scheme) => [wordsFor(scheme), scheme])).values()];
  if (schemes.length === 0) return undefined;
  return schemes
    .map((scheme) => (scheme.kind === 'basic' ? `${wordsFor(scheme)} (user:password)` : wordsFor(scheme)))
    .join(', ');
}

/** Says in a sentence which credentials the mock takes; undefined if the document asks for none. */
export function credentialsInWords(requirements: Requirements, good?: readonly string[]): string | undefined {
  const words = schemesInWords(requirements);
  if (words === undefined) return undefined;
  const which =
    good === undefined ? 'any text will do' : `${good.length} ${good.length === 1 ? 'is' : 'are'} good`;
  return `${words}: ${which}`;
}

/**
 * Finds the credentials that no scheme of the document can carry, such as a text without a colon for HTTP Basic.
 *
 * @returns their places in the list, from 1; empty if the document asks for no credentials
 */
export function unfitCredentials(requirements: Requirements, good: readonly string[]): number[] {
  const schemes = [...requirements.values()].flat(2);
  if (schemes.length === 0) return [];
  return good.flatMap((text, index) =>
    schemes.some((scheme) => isFit(scheme, { text, shell: '' })) ? [] : [index + 1],
  );
}

/**
 * Makes a hook that answers 401 with a challenge for each scheme (RFC 9110, section 15.5.2) unless the request has
 * good credentials.
 *
 * @param realm the realm of the challenges
 * @param good the texts that are good, of HTTP Basic with the colon; if left out, all are
 */
export function credentialCheck(
  requirements: Requirements,
  realm: string,
  good?: readonly string[],
): onRequestHookHandler {
  const known = good && new Set(good);
  return async (request, reply) => {
    const { operation } = request.routeOptions.config;
    const alternatives = operation && requirements.get(operation.id);
    if (operation === undefined || alternatives === undefined) return;
    const shown = alternatives.map((schemes) => schemes.map((scheme) => textFor(scheme, request)));
    const isMet = shown.some(
      (texts) =>
        texts.length > 0 &&
        texts.every((text) => text !== undefined && (known === undefined || known.has(text))),
    );
    if (isMet) return;
    const isWrong = shown.flat().some((text) => text !== undefined) || hasAuthorization(request);
    // Wrong credentials are refused even if none are needed (RFC 6750, section 3.1).
    if (!isWrong && alternatives.some((schemes) => schemes.length === 0)) return;
    const needed = alternatives
      .filter((schemes) => schemes.length > 0)
      .map((schemes) => schemes.map(wordsFor).join(' and '));
    const message = isWrong ? 'Nobody has these credentials' : 'There are no credentials';
    const challenges = alternatives
      .flat()
      .map((scheme) => challengeFor(scheme, realm, isTried(scheme, request)));
    await reply
      .code(401)
      .header('WWW-Authenticate', [...new Set(challenges)].join(', '))
      .type(operation.responses.get(401)?.content?.mediaType ?? 'application/json')
      .send({ error: 401, message: `${message}: send ${needed.join(', or ')}.` });
  };
}

/** @returns the credential that a request shows for a scheme; undefined if there is none of the right form */
function textFor(scheme: Scheme, request: FastifyRequest): string | undefined {
  const text = scheme.kind === 'apiKey' ? keyIn(scheme, request) : authorizationFor(scheme, request);
  return text !== undefined && isFit(scheme, { text, shell: '' }) ? text : undefined;
}

function hasAuthorization({ headers }: FastifyRequest): boolean {
  return headers.authorization !== undefined;
}

function keyIn({ in: place, name }: Scheme & { kind: 'apiKey' }, { headers, url }: FastifyRequest) {
  switch (place) {
    case 'header':
      return [headers[name.toLowerCase()]].flat()[0];
    case 'query':
      return new URLSearchParams(url.split(/\?(.*)/s)[1]).get(name) ?? undefined;
    case 'cookie':
      return (headers.cookie ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1);
  }
}

/** RFC 9110, section 11.4: the name of the scheme, which is case-insensitive, and spaces. */
const authorization = /^([!-~]+) +([!-~]+)$/;

function authorizationFor(scheme: Scheme, { headers }: FastifyRequest): string | undefined {
  const [, name, text] = authorization.exec(headers.authorization ?? '') ?? [];
  if (text === undefined || name?.toLowerCase() !== scheme.kind) return undefined;
  if (scheme.kind === 'bearer') return text;
  return /^[A-Za-z0-9+/]+=*$/.test(text) ? Buffer.from(text, 'base64').toString('utf8') : undefined;
}

function isTried(scheme: Scheme, request: FastifyRequest): boolean {
  return scheme.kind === 'bearer' && /^bearer /i.test(request.headers.authorization ?? '');
}

/** RFC 9110, section 11.6.1. No registry has a scheme for API keys, so theirs is the usual word. */
function challengeFor(scheme: Scheme, realm: string, isTried: boolean): string {
  const quoted = realm.replaceAll(/[^ !#-[\]-~]/g, '');
  if (scheme.kind === 'basic') return `Basic realm="${quoted}"`;
  if (scheme.kind === 'apiKey') return `ApiKey realm="${quoted}"`;
  // RFC 6750, section 3: there is no error code if the request had no token.
  return `Bearer realm="${quoted}"${isTried ? ', error="invalid_token", error_description="Nobody has this token."' : ''}`;
}
