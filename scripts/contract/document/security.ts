/** Decides which credential the requests of each operation have, by what the document asks for. */
import { type Scheme, schemeOf, wordsFor } from './credentials.js';
import { LeftOutError } from './left-out.js';
import type { Node } from './node.js';

/** How an operation is secured. */
export interface Secured {
  /** How a credential is sent; undefined if the operation uses none. */
  readonly scheme: Scheme | undefined;
  /** Whether the operation uses a credential, and whether it can do without one. */
  readonly secured: boolean;
  readonly anonymous: boolean;
}

/** How the operations of a document are secured. */
export class Credentials {
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

  /**
   * A caller has one credential, and an API key in one header is no key in another, nor a password.
   *
   * @throws {LeftOutError} if the credential of the other operations meets none of the requirements
   */
  requirementOf(operation: Node): Secured {
    const written = this.#alternatives(operation);
    const anonymous = written.length === 0 || written.some((names) => names.length === 0);
    const isMet = written.some((names) => {
      const scheme = this.#onlyScheme(names);
      return scheme !== undefined && this.usual !== undefined && isSame(scheme, this.usual);
    });
    if (isMet) return { scheme: this.usual, secured: true, anonymous };
    if (anonymous) return { scheme: undefined, secured: false, anonymous };
    const others = written.flatMap((names) => this.#onlyScheme(names) ?? []);
    throw new LeftOutError(
      others.length > 0 && this.usual !== undefined
        ? `it needs ${others.map(wordsFor).join(' or ')}, and most operations take ${wordsFor(this.usual)}.`
        : 'it needs credentials other than one bearer token, user and password, or API key.',
    );
  }

  /** The names of the schemes of each requirement, one of which a request must meet. */
  #alternatives(operation: Node): string[][] {
    const own = operation.at('security');
    const requirements = own === undefined ? this.#shared : own.members().map(([, node]) => node);
    return requirements.map((requirement) => requirement.members().map(([name]) => name));
  }

  /** A requirement may have several names of one scheme: one token can meet two of OAuth 2. */
  #onlyScheme(names: readonly string[]): Scheme | undefined {
    const [first, ...others] = names.map((name) => this.#schemes.get(name));
    return first && others.every((other) => other && isSame(other, first)) ? first : undefined;
  }

  #mostTaken(operations: readonly (readonly string[][])[]): Scheme | undefined {
    const taken = operations.map((alternatives) =>
      alternatives.flatMap((names) => this.#onlyScheme(names) ?? []),
    );
    const candidates = [...new Map(taken.flat().map((scheme) => [wordsFor(scheme), scheme])).values()];
    const takers = (scheme: Scheme): number =>
      taken.filter((one) => one.some((other) => isSame(other, scheme))).length;
    const isBearer = ({ kind }: Scheme): number => (kind === 'bearer' ? 1 : 0);
    const [usual] = candidates.sort((a, b) => takers(b) - takers(a) || isBearer(b) - isBearer(a));
    return usual;
  }
}

function isSame(one: Scheme, other: Scheme): boolean {
  return wordsFor(one) === wordsFor(other);
}
