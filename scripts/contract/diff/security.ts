import type { FoundChange } from './change.js';
import { Node } from './node.js';

/** One credential that a caller must show. */
interface Credential {
  readonly name: string;
  /** The definition of the scheme; if it has none, its use. */
  readonly scheme: Node;
  readonly isDefined: boolean;
  /** How a caller uses the scheme: schemes that agree in this are the same, whatever their names. */
  readonly definition: string;
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
    return [{ part: '', breaking: true, at: undefinedNow.scheme, what }];
  }
  const at = securityOf(next) ?? securityOf(base) ?? next;
  const what = `security ${textOf(before)} → ${textOf(after)}`;
  if (lost.length > 0) return [{ part: '', breaking: true, at: redefined(lost, after) ?? at, what }];
  if (gained.length > 0) return [{ part: '', breaking: false, at, what }];
  return renamed(before, after).map(([old, now]) => ({
    part: '',
    breaking: false,
    at: now.scheme,
    what: `the security scheme \`${old.name}\` is called \`${now.name}\` now`,
  }));
}

/** Whether `asked` lets a caller with these credentials in. */
function satisfies(shown: Alternative, asked: Alternative): boolean {
  return asked.every(({ definition, scopes }) =>
    shown.some((own) => own.definition === definition && scopes.every((scope) => own.scopes.includes(scope))),
  );
}

function isMissing(name: string, alternatives: readonly Alternative[]): boolean {
  return alternatives.flat().some((credential) => credential.name === name && !credential.isDefined);
}

/** The scheme whose meaning changed, if callers are refused because of that. */
function redefined(lost: readonly Alternative[], after: readonly Alternative[]): Node | undefined {
  const known = lost.flat();
  return after
    .flat()
    .find(({ name, definition }) => known.some((old) => old.name === name && old.definition !== definition))
    ?.scheme;
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
  return operation.get('security') ?? Node.root(operation.contract).get('security');
}

function alternativesOf(operation: Node): Alternative[] {
  const alternatives = securityOf(operation)?.children() ?? [];
  // An empty list asks for nothing, as an empty alternative does.
  return alternatives.length === 0 ? [[]] : alternatives.map(credentialsOf);
}

function credentialsOf(requirement: Node): Credential[] {
  const schemes = Node.root(requirement.contract).get('components')?.get('securitySchemes');
  return [...requirement.members()].map(([name, scopes]) => {
    const defined = schemes?.get(name);
    const scheme = defined ?? requirement;
    return {
      name,
      scheme,
      isDefined: defined !== undefined,
      definition: definitionOf(scheme),
      scopes: scopes.children().map(({ value }) => String(value)),
    };
  });
}

/** Leaves out documentation and the list of existing scopes, whether needed or not. */
function definitionOf(scheme: Node): string {
  const facts = ['type', 'scheme', 'in', 'name', 'openIdConnectUrl'].map((key) => scheme.text(key) ?? '');
  const flows = [...(scheme.get('flows')?.members() ?? [])].map(([name, flow]) => {
    const urls = ['authorizationUrl', 'tokenUrl', 'refreshUrl'].map((key) => flow.text(key) ?? '');
    return [name, ...urls].join(' ');
  });
  return [...facts, ...flows.sort()].join('\n');
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
