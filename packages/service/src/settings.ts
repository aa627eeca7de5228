/**
 * The settings, which are environment variables. docs/settings.md lists them. They are read once, at the
 * start, and a wrong one ends the start with a line that says what to set instead. No other file reads the
 * environment.
 */
import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import pg from 'pg';
import { StartError } from './errors/start.js';

/** Whether migrations that would break replicas of the version before are applied. */
export type BreakingMigrations = 'refuse' | 'apply';

/** Where a server listens, and whom it trusts. */
interface FrontSettings {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  /** Peers whose `X-Forwarded-…` headers are trusted. */
  readonly proxies: BlockList;
  /** Origins whose pages may call the operations. */
  readonly corsOrigins: ReadonlySet<string>;
}

export interface Settings extends FrontSettings {
  /** Where probes and metrics are, without a token; undefined if they are nowhere. */
  readonly admin: { readonly host: string; readonly port: number } | undefined;
  readonly database: DatabaseSetting;
  readonly breakingMigrations: BreakingMigrations;
  /** Whether answers are compared with the contract. */
  readonly checkAnswers: boolean;
  /** Which JWTs are accepted; undefined if none are. */
  readonly jwt: JwtSettings | undefined;
  /** How long the start waits for the database. */
  readonly databaseWaitMs: number;
  /** How long the service still takes requests after a signal. */
  readonly drainMs: number;
  /** How many connections of clients may be open. */
  readonly maxConnections: number;
  /** How many requests of all owners together may be in flight: at most as many as connections may be open. */
  readonly maxRequestsInFlight: number;
  /** How many requests each owner may send in a second; 0 for no limit. */
  readonly requestsPerSecond: number;
}

/** Which JWTs of an identity provider are accepted: those of this issuer, for this audience. */
export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  /** The claim that names the owner. */
  readonly ownerClaim: string;
  /** The URL of the issuer's keys; undefined if the issuer's metadata name it. */
  readonly jwksUrl: string | undefined;
}

type DatabaseSetting =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'embedded'; readonly folder: string };

/** A setting is wrong. The message is one line that names it, and says what to set instead. */
export class SettingsError extends StartError {
  override readonly name = 'SettingsError';
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/**
 * Reads the settings of the service.
 *
 * @param options those that Node.js was started with
 * @throws {SettingsError} at the first wrong setting
 */
export function readSettings(
  environment: NodeJS.ProcessEnv = process.env,
  options: readonly string[] = process.execArgv,
): Settings {
  refuseUnreadTraces(environment, options);
  const database = readDatabaseSetting(environment);
  const front = readFrontSettings(environment);
  return {
    ...front,
    admin: readAdmin(environment, front.port),
    checkAnswers: readChoice(environment, 'CHECK_ANSWERS', 'off', ['on', 'off']) === 'on',
    database,
    breakingMigrations: readBreakingMigrations(environment),
    jwt: readJwt(environment),
    databaseWaitMs: 1_000 * readNumber(environment, 'DATABASE_WAIT_SECONDS', 10, [0, 3_600]),
    drainMs: 1_000 * readNumber(environment, 'DRAIN_SECONDS', defaultDrainSeconds(database), [0, 3_600]),
    ...readLoadLimits(environment),
    requestsPerSecond: readNumber(environment, 'REQUESTS_PER_SECOND', 0, [0, 999_999]),
  };
}

/**
 * Reads the settings that need no database: where to listen, for whom, and what to log.
 *
 * @throws {SettingsError} at the first wrong setting
 */
export function readFrontSettings(environment: NodeJS.ProcessEnv = process.env): FrontSettings {
  const { HOST = '127.0.0.1' } = environment;
  if (HOST === '') throw new SettingsError('HOST is empty: set it to an address to listen on, or unset it.');
  return {
    host: HOST,
    port: readNumber(environment, 'PORT', 3_000, ports),
    logLevel: readChoice(environment, 'LOG_LEVEL', 'info', logLevels),
    proxies: readProxies(environment['TRUST_PROXY']),
    corsOrigins: readOrigins(environment['CORS_ORIGINS']),
  };
}

/**
 * The settings whose names are long enough to tell a misspelt one from another program's variable.
 * test/docs/settings.test.ts compares them with those that are read.
 */
export const longNames = [
  'ADMIN_HOST',
  'ADMIN_PORT',
  'BREAKING_MIGRATIONS',
  'CHECK_ANSWERS',
  'CORS_ORIGINS',
  'DATABASE_URL',
  'DATABASE_WAIT_SECONDS',
  'DATA_DIR',
  'DRAIN_SECONDS',
  'JWT_AUDIENCE',
  'JWT_ISSUER',
  'JWT_JWKS_URL',
  'JWT_OWNER_CLAIM',
  'LOG_LEVEL',
  'MAX_CONNECTIONS',
  'MAX_REQUESTS_IN_FLIGHT',
  'REQUESTS_PER_SECOND',
  'TRUST_PROXY',
];

/** @returns a sentence for each variable that is probably the misspelt name of a setting that is not set */
export function misspeltSettings(environment: NodeJS.ProcessEnv = process.env): string[] {
  const unset = longNames.filter((name) => environment[name] === undefined);
  return unset.flatMap((name) => {
    const other = Object.keys(environment).find((set) => isOneEditFrom(set, name));
    return other === undefined
      ? []
      : [`${other} is set, and ${name} is not: if you mean ${name}, correct the name.`];
  });
}

/** @returns whether a letter more, less or other, or a swap of two neighbours, makes one name the other */
function isOneEditFrom(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [restOfOne, restOfOther] = [one.slice(start), other.slice(start)];
  return (
    restOfOne.slice(1) === restOfOther.slice(1) ||
    restOfOne.slice(1) === restOfOther ||
    restOfOne === restOfOther.slice(1) ||
    `${restOfOne[1]}${restOfOne[0]}${restOfOne.slice(2)}` === restOfOther
  );
}

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });

function readChoice<Choice extends string>(
  environment: NodeJS.ProcessEnv,
  setting: string,
  defaultChoice: Choice,
  choices: readonly Choice[],
): Choice {
  const text = environment[setting] ?? defaultChoice;
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new SettingsError(`${setting} is "${text}": set it to ${alternatives.format(choices)}.`);
}

/** The port 0 stands for any that is free. */
const ports = [0, 65_535] as const;

function readNumber(
  environment: NodeJS.ProcessEnv,
  setting: string,
  defaultNumber: number,
  [min, max]: readonly [number, number],
): number {
  const text = environment[setting] ?? String(defaultNumber);
  const number = /^[0-9]{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new SettingsError(`${setting} is "${text}": set it to a whole number from ${min} to ${max}.`);
}

/**
 * Reads how many connections and requests there may be. An owner gets half of the requests in flight, and its
 * connections stay open while their bodies have not come. So if there could be more requests than connections, one
 * owner could take all connections.
 */
function readLoadLimits(
  environment: NodeJS.ProcessEnv,
): Pick<Settings, 'maxConnections' | 'maxRequestsInFlight'> {
  const maxConnections = readNumber(environment, 'MAX_CONNECTIONS', 10_000, [1, 9_999_999]);
  const otherwise = Math.min(10_000, maxConnections);
  const maxRequestsInFlight = readNumber(environment, 'MAX_REQUESTS_IN_FLIGHT', otherwise, [1, 9_999_999]);
  if (maxRequestsInFlight <= maxConnections) return { maxConnections, maxRequestsInFlight };
  throw new SettingsError(
    `MAX_REQUESTS_IN_FLIGHT is "${maxRequestsInFlight}", and MAX_CONNECTIONS is ${maxConnections}, so one owner could take all connections: set it to at most MAX_CONNECTIONS, or raise MAX_CONNECTIONS.`,
  );
}

/**
 * @returns 0 for a person at a terminal, who should not wait, and with an embedded database, because no other
 * replica takes the requests; otherwise 5
 */
function defaultDrainSeconds({ kind }: DatabaseSetting): number {
  return kind === 'embedded' || process.stderr.isTTY ? 0 : 5;
}

/**
 * Reads where the port for operators is. It needs no token, and HOST may be public, so it has an address of
 * its own.
 */
function readAdmin(environment: NodeJS.ProcessEnv, port: number): Settings['admin'] {
  const { ADMIN_HOST: host, ADMIN_PORT } = environment;
  if (host === '') {
    throw new SettingsError('ADMIN_HOST is empty: set it to an address to listen on, or unset it.');
  }
  if (ADMIN_PORT === undefined) {
    if (host === undefined) return undefined;
    throw new SettingsError('ADMIN_HOST is set, and ADMIN_PORT is not: set both, or only ADMIN_PORT.');
  }
  const adminPort = readNumber(environment, 'ADMIN_PORT', port, ports);
  // If both are 0, each of them gets a free one.
  if (adminPort !== port || port === 0) return { host: host ?? '127.0.0.1', port: adminPort };
  throw new SettingsError(`ADMIN_PORT is "${ADMIN_PORT}", as PORT is: set it to another, or unset it.`);
}

function readProxies(text = ''): BlockList {
  const proxies = new BlockList();
  for (const item of listed(text)) {
    const [address = '', bits, ...rest] = item.split('/');
    const version = isIP(address);
    const maxBits = version === 6 ? 128 : 32;
    const prefixBits = bits === undefined ? maxBits : Number(/^[0-9]{1,3}$/.test(bits) ? bits : Number.NaN);
    if (version === 0 || !(prefixBits <= maxBits) || rest.length > 0) {
      throw new SettingsError(
        `TRUST_PROXY has "${item}": set it to addresses and subnets of proxies, such as 10.0.0.0/8, ::1.`,
      );
    }
    proxies.addSubnet(address, prefixBits, version === 6 ? 'ipv6' : 'ipv4');
  }
  return proxies;
}

/** Variables of OpenTelemetry that turned on the traces of the service, before it left them to OpenTelemetry. */
const traceSettings = new Set([
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
]);

/**
 * Refuses settings of traces that nobody reads. If something was loaded before the service, that is
 * OpenTelemetry's own instrumentation, which reads them.
 */
function refuseUnreadTraces(environment: NodeJS.ProcessEnv, options: readonly string[]): void {
  const [setting] =
    Object.entries(environment).find(
      // An empty variable counts as not set (opentelemetry.io, "Environment Variable Specification").
      ([name, value]) => traceSettings.has(name) && !['', 'none', undefined].includes(value),
    ) ?? [];
  if (setting === undefined || environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return;
  const started = [...options, environment['NODE_OPTIONS']].join(' ');
  if (/--(?:import|require|experimental-loader)\b|(?:^| )-r\b/.test(started)) return;
  throw new SettingsError(
    `${setting} is set, and the service itself sends no traces: load OpenTelemetry with node --import (docs/operations/traces.md), or unset it.`,
  );
}

function readOrigins(text = ''): ReadonlySet<string> {
  const origins = listed(text);
  const wrong = origins.find((item) => !isOrigin(item));
  if (wrong === undefined) return new Set(origins);
  throw new SettingsError(
    `CORS_ORIGINS has "${wrong}": set it to origins of pages, such as https://app.example, http://localhost:5173.`,
  );
}

/** @returns whether the text is an origin as browsers write it (RFC 6454, section 6.2). A wildcard is not. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host } = new URL(text);
  return /^[^*]+$/.test(host) && text === `${protocol}//${host}`;
}

function readJwt(environment: NodeJS.ProcessEnv): JwtSettings | undefined {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: jwksUrl } = environment;
  const ownerClaim = environment['JWT_OWNER_CLAIM'];
  if (issuer === undefined) {
    const others = { JWT_AUDIENCE: audience, JWT_OWNER_CLAIM: ownerClaim, JWT_JWKS_URL: jwksUrl };
    const [set] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
    if (set === undefined) return undefined;
    throw new SettingsError(`${set} is set, and JWT_ISSUER is not: set both, or neither.`);
  }
  if (jwksUrl !== undefined && !isWebAddress(jwksUrl)) {
    throw new SettingsError(`JWT_JWKS_URL is "${jwksUrl}": set it to the http or https URL of the keys.`);
  }
  if (issuer === '' || (jwksUrl === undefined && !isWebAddress(issuer))) {
    throw new SettingsError(
      `JWT_ISSUER is "${issuer}": set it to the issuer's http or https URL, as in the claim "iss" of its tokens.`,
    );
  }
  if (audience === undefined || audience === '') {
    throw new SettingsError(
      'JWT_AUDIENCE is missing: set it to the name of this service in the claim "aud" of the tokens.',
    );
  }
  if (ownerClaim === '') throw new SettingsError('JWT_OWNER_CLAIM is empty: set it to a claim, or unset it.');
  return { issuer, audience, ownerClaim: ownerClaim ?? 'sub', jwksUrl };
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s#@]+$/.test(text) && URL.canParse(text);
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/**
 * Reads where the database is, which is all that most commands need.
 *
 * @throws {SettingsError} if DATABASE_URL or DATA_DIR is wrong
 */
export function readDatabaseSetting(
  { DATABASE_URL, DATA_DIR = '.data' }: NodeJS.ProcessEnv = process.env,
): DatabaseSetting {
  if (DATABASE_URL === undefined) {
    if (DATA_DIR === '') throw new SettingsError('DATA_DIR is empty: set it to a folder, or unset it.');
    return { kind: 'embedded', folder: resolve(DATA_DIR) };
  }
  return { kind: 'url', url: requireUrl(DATABASE_URL) };
}

function requireUrl(url: string): string {
  if (/^postgres(?:ql)?:\/\//.test(url) && isReadable(url)) return url;
  // The message does not quote the URL, which may hold a password.
  throw new SettingsError(
    'DATABASE_URL is not the URL of a PostgreSQL: set it to postgresql://user:password@host:port/database, or unset it.',
  );
}

/**
 * Reads whether breaking migrations are applied, for the service and for commands. If left out, they are
 * applied to the embedded database, because there is no other replica that could break.
 *
 * @throws {SettingsError} if the setting is wrong
 */
export function readBreakingMigrations(environment: NodeJS.ProcessEnv = process.env): BreakingMigrations {
  const otherwise = environment['DATABASE_URL'] === undefined ? 'apply' : 'refuse';
  return readChoice(environment, 'BREAKING_MIGRATIONS', otherwise, ['refuse', 'apply']);
}

/** @returns whether pg can read the URL. `new URL` would refuse the URL of a socket, which has no host. */
function isReadable(connectionString: string): boolean {
  try {
    new pg.Client({ connectionString });
    return true;
  } catch {
    return false;
  }
}
