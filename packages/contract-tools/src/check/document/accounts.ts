/**
 * Knows who calls, and with which credentials. A document may have several security schemes, such as a
 * password for the staff and a token for a kiosk. An operation asks for one of them, for either, or for two at
 * once. So an account has a credential for each scheme by its name, and shows what the operation asks for.
 *
 * The credential of a scheme comes from the variable with the scheme's name, such as CONTRACT_TOKEN_KIOSK.
 * If there is none, one that was given without a name counts for the scheme that most operations take.
 */

import { type Credential, contentFor, type Presented, placeOf, present } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import { isSame, type NamedScheme, type Requirement, type Secured } from '../../document/security.js';
import type { Description } from './description.js';
import { leaveOut, type Narrowed } from './leave-out.js';

/** Whose credentials: those of two owners, and revoked ones of anybody, which must be refused. */
export type Holder = 'first' | 'second' | 'revoked';

/** The credential of one scheme. */
export interface SchemeToken extends Credential {
  readonly holder: Holder;
  /** The scheme's name as in a variable: `API_KEY` for the scheme api-key. */
  readonly scheme: string;
}

/** The credentials that a run is given. */
export interface GivenCredentials {
  /** Those of the scheme that most operations take, unless `schemeTokens` has others. */
  readonly token?: Credential | undefined;
  readonly otherToken?: Credential | undefined;
  readonly revokedToken?: Credential | undefined;
  readonly schemeTokens?: readonly SchemeToken[] | undefined;
}

/** A credential that meets a part of a requirement. */
export interface Held extends NamedScheme {
  readonly credential: Credential;
}

export type Accounts = Readonly<Record<Holder, Account>>;

/** The variables that hold the credentials of the scheme that most operations take. */
export function variablesOf(prefix: 'CONTRACT' | 'PLANTS'): Readonly<Record<Holder, string>> {
  return {
    first: `${prefix}_TOKEN`,
    second: `${prefix}_OTHER_TOKEN`,
    revoked: `${prefix}_REVOKED_TOKEN`,
  };
}

const variables = variablesOf('CONTRACT');

/** The variable that holds a credential: `$CONTRACT_TOKEN` → `CONTRACT_TOKEN`. */
export function variableOf({ shell }: Credential): string {
  return shell.replace(/^\$/, '');
}

/** Writes a scheme's name as it stands in a variable: `apiKey-2` → `APIKEY_2`. */
function wordOf(scheme: string): string {
  return scheme.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

export class Account {
  readonly #holder: Holder;
  /** All that the account has, each of another scheme of the document. */
  readonly held: readonly Held[];

  constructor(holder: Holder, held: readonly Held[]) {
    this.#holder = holder;
    this.held = held;
  }

  get isKnown(): boolean {
    return this.held.length > 0;
  }

  credentialOf({ name }: Pick<NamedScheme, 'name'>): Credential | undefined {
    return this.held.find((one) => one.name === name)?.credential;
  }

  /** The requirements of an operation that the account meets, with what it shows for each. */
  met({ requirements }: Secured): Held[][] {
    return requirements.flatMap((parts) => {
      const held = parts.flatMap((part) => {
        const credential = this.credentialOf(part);
        return credential === undefined ? [] : [{ ...part, credential }];
      });
      // One token can meet two schemes, and then it is sent once.
      const byPlace = new Map(held.map((one) => [placeOf(one.scheme), one]));
      const isOne = held.every(
        ({ scheme, credential }) => byPlace.get(placeOf(scheme))?.credential.text === credential.text,
      );
      return held.length === parts.length && isOne ? [[...byPlace.values()]] : [];
    });
  }

  /** What a request of the operation shows; nothing, if the operation asks for nothing that the account has. */
  shown(operation: Secured): Presented[] {
    const [first = []] = this.met(operation);
    return first.map(({ scheme, credential }) => present(scheme, credential));
  }

  /**
   * The same caller, who names the tenant of another account beside the own token.
   *
   * @returns undefined if the operation takes no tenant beside another credential
   */
  inTenantOf(other: Account, operation: Secured): Account | undefined {
    const [needed = []] = this.met(operation);
    const tenant = needed.find(namesTenant);
    const theirs = tenant && other.credentialOf(tenant);
    if (needed.length < 2 || theirs === undefined) return undefined;
    return new Account(
      this.#holder,
      this.held.map((one) => (one.name === tenant?.name ? { ...one, credential: theirs } : one)),
    );
  }

  /** Whether the account may call an operation: it needs nothing, or the account has it. */
  mayCall(operation: Secured): boolean {
    return !operation.secured || operation.anonymous || this.met(operation).length > 0;
  }

  /**
   * Names the variables that the account lacks for an operation, with what belongs in each: "CONTRACT_TOKEN_KEY
   * (an API key)".
   */
  lacks({ requirements }: Secured): string {
    const written = (parts: Requirement): string => {
      const missing = parts.filter((part) => this.credentialOf(part) === undefined);
      return (missing.length === 0 ? parts : missing)
        .map(({ name, scheme }) => `${variables[this.#holder]}_${wordOf(name)} (${contentFor(scheme)})`)
        .join(' and ');
    };
    return [...new Set(requirements.map(written))].join(', or ');
  }
}

/** Whether a key says for whom one calls, as `X-Tenant` does. What is called a key or a secret says who calls. */
function namesTenant({ name, scheme }: NamedScheme): boolean {
  if (scheme.kind !== 'apiKey') return false;
  const names = `${name} ${scheme.name}`;
  return (
    /tenant|organi[sz]ation|workspace|(?:^|[^a-z])org(?:$|[^a-z])/i.test(names) &&
    !/key|secret|token|password|auth/i.test(names)
  );
}

/** @returns for each holder the credentials of the schemes that the operations ask for */
export function accountsOf(
  { operations, usualScheme }: Description,
  { token, otherToken, revokedToken, schemeTokens = [] }: GivenCredentials,
): Accounts {
  const schemes = new Map(
    operations.flatMap(({ requirements }) => requirements.flat().map((one) => [one.name, one])),
  );
  const accountOf = (holder: Holder, usual: Credential | undefined): Account => {
    const held = [...schemes.values()].flatMap(({ name, scheme }): Held[] => {
      const named = schemeTokens.find((one) => one.holder === holder && one.scheme === wordOf(name));
      const credential = named ?? (isSame(scheme, usualScheme) ? usual : undefined);
      return credential === undefined ? [] : [{ name, scheme, credential }];
    });
    return new Account(holder, held);
  };
  return {
    first: accountOf('first', token),
    second: accountOf('second', otherToken),
    revoked: accountOf('revoked', revokedToken),
  };
}

/**
 * Leaves out the operations for which the first owner has no credentials; none, if it has no credentials at
 * all, because then the run ends before it begins.
 */
export function withoutUnmet(description: Description, { first }: Accounts): Narrowed {
  if (!first.isKnown) return { description, leftOut: [] };
  return leaveOut(description, (operation: Operation) =>
    first.mayCall(operation) ? undefined : `it needs ${first.lacks(operation)}, which is not set.`,
  );
}
