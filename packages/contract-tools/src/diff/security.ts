/**
 * Compares the credentials that an operation asks for. A change breaks callers if one of the old sets of
 * credentials is not enough any more.
 */

import type { Node } from '../document/node.js';
import type { FoundChange } from './change.js';
import { below } from './values.js';

/** One credential that a caller must show. */
interface Credential {
  readonly name: string;
  /** The definition of the scheme; if it has none, its use. */
  readonly scheme: Node;
  readonly isDefined: boolean;
  /** A caller shows it in this way: schemes that agree in it are the same, whatever their names. */
  readonly definition: string;
  /** The ways to get a token of OAuth 2, each with its addresses. */
  readonly flows: readonly string[];
  readonly scopes: readonly string[];
}

/** All credentials that a caller must show; empty for an anonymous one. */
type Alternative = readonly Credential[];

export function compareSecurity(base: Node, next: Node): FoundChange[] {
  const before = alternativesOf(base);
  const after = alternativesOf(next);
  const lost = before.filter((old) => !after.some((now) => satisfies(old, now)));
  const gained = after.filter((now) => !before.some((old) => satisfies(old, now) && satisfies(now, old)));
  const [undefinedNow] = lost.flat().filter(({ name, isDefined }) => isDefined && isMissing(name, after));
  if (undefinedNow !== undefined) {
    const what = `the security scheme \`${undefinedNow.name}\` is not defined any more`;
    return [{ part: '', id: 'security-changed', at: undefinedNow.scheme, what }];
  }
  const other = redefined(before, after);
  const [said, saidNow] = [textOf(before), textOf(after)];
  const what =
    said === saidNow && other !== undefined
      ? `the security scheme \`${other.name}\` is defined in another way`
      : `security ${said} → ${saidNow}`;
  const at = other?.scheme ?? securityOf(next) ?? securityOf(base) ?? next;
  if (lost.length > 0) return [{ part: '', id: 'security-changed', at, what }];
  const adds = after.length > before.length;
  if (gained.length > 0) return [{ part: '', id: 'security-extended', adds, at, what }];
  return renamed(before, after).map(([old, now]) => ({
    part: '',
    id: 'security-scheme-renamed',
    at: now.scheme,
    what: `the security scheme \`${old.name}\` is called \`${now.name}\` now`,
  }));
}

/** Whether `asked` lets a caller with these credentials in, however the caller got them. */
function satisfies(shown: Alternative, asked: Alternative): boolean {
  return asked.every((needed) =>
    shown.some(
      (own) =>
        own.definition === needed.definition &&
        own.flows.every((flow) => needed.flows.includes(flow)) &&
        needed.scopes.every((scope) => own.scopes.includes(scope)),
    ),
  );
}

function isMissing(name: string, alternatives: readonly Alternative[]): boolean {
  return alternatives.flat().some((credential) => credential.name === name && !credential.isDefined);
}

/** The first credential whose scheme has the same name as before, and another meaning. */
function redefined(before: readonly Alternative[], after: readonly Alternative[]): Credential | undefined {
  const meaningOf = ({ definition, flows }: Credential) => JSON.stringify([definition, flows]);
  return after
    .flat()
    .find((now) => before.flat().some((old) => old.name === now.name && meaningOf(old) !== meaningOf(now)));
}

function renamed(before: readonly Alternative[], after: readonly Alternative[]): [Credential, Credential][] {
  const names = after.flat().map(({ name }) => name);
  return before
    .flat()
    .filter(({ name }) => !names.includes(name))
    .flatMap((old) => {
      const now = after.flat().find(({ definition }) => definition === old.definition);
      return now === undefined ? [] : [[old, now] as [Credential, Credential]];
    });
}

/** The list that holds for an operation: its own, else the document's. */
function securityOf(operation: Node): Node | undefined {
  return operation.at('security') ?? operation.fromRoot(['security']);
}

function alternativesOf(operation: Node): Alternative[] {
  const alternatives = below(securityOf(operation));
  // An empty list asks for nothing, as an empty alternative does.
  return alternatives.length === 0 ? [[]] : alternatives.map(credentialsOf);
}

function credentialsOf(requirement: Node): Credential[] {
  const schemes = requirement.fromRoot(['components', 'securitySchemes']);
  return requirement.members().map(([name, scopes]) => {
    const defined = schemes?.at(name);
    const scheme = defined ?? requirement;
    return {
      name,
      scheme,
      isDefined: defined !== undefined,
      definition: definitionOf(scheme),
      flows: flowsOf(scheme),
      scopes: below(scopes).map(({ value }) => String(value)),
    };
  });
}

/** Leaves out documentation, such as `bearerFormat`. */
function definitionOf(scheme: Node): string {
  const text = (key: string) => scheme.text(key) ?? '';
  // The names of headers and of HTTP's authentication schemes are case-insensitive (RFC 9110, sections 5.1
  // and 11.1).
  const name = text('in') === 'header' ? text('name').toLowerCase() : text('name');
  return [text('type'), text('in'), name, text('openIdConnectUrl'), text('scheme').toLowerCase()].join('\n');
}

/** Leaves out the list of existing scopes, whether needed or not. */
function flowsOf(scheme: Node): string[] {
  return (scheme.at('flows')?.members() ?? [])
    .map(([name, flow]) => {
      const tokenUrl = flow.text('tokenUrl') ?? '';
      // Without an address of its own, a token is refreshed where it came from (RFC 6749, section 6).
      const urls = [flow.text('authorizationUrl') ?? '', tokenUrl, flow.text('refreshUrl') ?? tokenUrl];
      return [name, ...urls].join(' ');
    })
    .sort();
}

function textOf(alternatives: readonly Alternative[]): string {
  return alternatives
    .map((credentials) =>
      credentials.length === 0
        ? 'none'
        : credentials
            .map(({ name, scopes }) => (scopes.length === 0 ? name : `${name} (${scopes.join(', ')})`))
            .join(' and '),
    )
    .join(', or ');
}
