/** Says which credentials the requests of each operation have to show, by what the document asks for. */
import { placeOf, type Scheme, schemeOf, wordsFor } from './credentials.js';
import { LeftOutError } from './left-out.js';
import type { Node } from './node.js';

/** A security scheme of the document. */
export interface NamedScheme {
  /** Its name among the document's securitySchemes. */
  readonly name: string;
  readonly scheme: Scheme;
}

/** What a request has to show at once ("Security Requirement Object"); nothing, if it is empty. */
export type Requirement = readonly NamedScheme[];

/** How an operation is secured. */
export interface Secured {
  /**
   * The requirements that a request can meet, one of which is enough. Those of the scheme that most operations
   * take come first.
   */
  readonly requirements: readonly Requirement[];
  /** Whether the operation uses a credential, and whether it can do without one. */
  readonly secured: boolean;
  readonly anonymous: boolean;
}

/** All security schemes of which an operation may have a credential. */
export function schemesOf({ requirements }: Secured): Scheme[] {
  return requirements.flat().map(({ scheme }) => scheme);
}

/** How the operations of a document are secured. */
export class Security {
  /** The scheme that most operations take; a bearer token, if others are taken as often. */
  readonly usual: Scheme | undefined;
  /** Those that one text alone meets. */
  readonly #schemes: ReadonlyMap<string, Scheme>;
  readonly #shared: readonly Node[];

  constructor(root: Node, operations: readonly { readonly node: Node }[]) {
    const written = root.at('components', 'securitySchemes')?.members() ?? [];
    this.#schemes = new Map(
      written.flatMap(([name, node]) => {
        const scheme = schemeOf(node);
        return scheme === undefined ? [] : [[name, scheme]];
      }),
    );
    this.#shared = root.list('security');
    this.usual = this.#mostTaken(operations.map(({ node }) => this.#alternatives(node)));
  }

  /** @throws {LeftOutError} if no request can meet any of the requirements */
  requirementsOf(operation: Node): Secured {
    const written = this.#alternatives(operation);
    const anonymous = written.length === 0 || written.some((names) => names.length === 0);
    const met = written.flatMap((names) => {
      const requirement = this.#requirementOf(names);
      return requirement === undefined ? [] : [requirement];
    });
    const isUsual = (one: Requirement): boolean => one.every(({ scheme }) => isSame(scheme, this.usual));
    const requirements = [...met.filter(isUsual), ...met.filter((one) => !isUsual(one))];
    if (requirements.length === 0 && !anonymous) {
      throw new LeftOutError(
        'it needs credentials other than bearer tokens, user and password, or API keys, or two in one place.',
      );
    }
    return { requirements, secured: requirements.length > 0, anonymous };
  }

  /** The names of the schemes of each requirement, one of which a request must meet. */
  #alternatives(operation: Node): string[][] {
    const own = operation.at('security');
    const requirements = own === undefined ? this.#shared : own.members().map(([, node]) => node);
    return requirements.map((requirement) => requirement.members().map(([name]) => name));
  }

  /** @returns undefined if it is empty, if nothing here can send a part of it, or two parts have one place */
  #requirementOf(names: readonly string[]): Requirement | undefined {
    const parts = names.flatMap((name) => {
      const scheme = this.#schemes.get(name);
      return scheme === undefined ? [] : [{ name, scheme }];
    });
    if (parts.length === 0 || parts.length < names.length) return undefined;
    const schemes = new Set(parts.map(({ scheme }) => wordsFor(scheme)));
    const places = new Set(parts.map(({ scheme }) => placeOf(scheme)));
    return schemes.size === places.size ? parts : undefined;
  }

  /** A requirement of several names counts if they are of one scheme: one token can meet two of OAuth 2. */
  #mostTaken(operations: readonly (readonly string[][])[]): Scheme | undefined {
    const taken = operations.map((alternatives) =>
      alternatives.flatMap((names) => {
        const [first, ...others] = this.#requirementOf(names) ?? [];
        return first && others.every(({ scheme }) => isSame(scheme, first.scheme)) ? first.scheme : [];
      }),
    );
    const candidates = [...new Map(taken.flat().map((scheme) => [wordsFor(scheme), scheme])).values()];
    const takers = (scheme: Scheme): number =>
      taken.filter((one) => one.some((other) => isSame(other, scheme))).length;
    const isBearer = ({ kind }: Scheme): number => (kind === 'bearer' ? 1 : 0);
    const [usual] = candidates.sort((a, b) => takers(b) - takers(a) || isBearer(b) - isBearer(a));
    return usual;
  }
}

/** Whether a credential of one scheme is sent as one of the other. */
export function isSame(one: Scheme, other: Scheme | undefined): boolean {
  return other !== undefined && wordsFor(one) === wordsFor(other);
}
