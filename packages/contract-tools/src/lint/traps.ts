/**
 * The traps of OpenAPI: valid parts of a document that some tool reads otherwise than its author meant. Each was
 * seen in a run of that version. docs/contract-traps.md shows this table and that of yaml-traps.ts, and
 * `lint-contract` warns of those rows that a document shows and that hurt a consumer whom its rules file names.
 */
import { isMap, type Kind } from '../document/grammar.js';
import type { Node } from '../document/node.js';

export interface Trap {
  /** The name of the warning. */
  readonly id: string;
  /** What stands in the contract, in Markdown. */
  readonly written: string;
  readonly seen: readonly Seen[];
  /** What to write instead. */
  readonly instead: string;
  /** The places of an object of the document that show the trap. Absent if one document cannot show it. */
  readonly placesIn?: (kind: Kind, node: Node) => readonly Node[];
}

interface Seen {
  /** The version of each tool that does this, by the tool's name in a line `consumers`. */
  readonly tools: Readonly<Record<string, string>>;
  readonly does: string;
  /** It is as an author means it, so nobody is warned. */
  readonly isHarmless?: true;
}

/** Clients for TypeScript. */
const typescript = {
  'openapi-typescript': '7.13',
  'hey-api': '0.95',
  orval: '7.13',
  oazapfts: '7.5',
  kubb: '4.39',
};

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);
const isSafe = (bound: bigint | number): boolean => bound >= -maxSafe && bound <= maxSafe;
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];

/** Whether a schema that a test accepts shows the trap. */
const schemas =
  (shows: (schema: Node) => boolean) =>
  (kind: Kind, node: Node): readonly Node[] =>
    kind === 'schema' && shows(node) ? [node] : [];

export const traps: readonly Trap[] = [
  {
    id: 'int64',
    written: '`format: int64`',
    seen: [
      {
        tools: typescript,
        does: 'the type is `number`, and 9007199254740993 is sent as 9007199254740992',
      },
      { tools: { 'hey-api': '0.95' }, does: 'a `bigint`, if it is asked for, is sent as a text' },
      { tools: { prism: '5.16' }, does: 'every value above 2^53−1 is refused' },
      { tools: { 'kubb-zod': '5' }, does: '`""` and `true` are taken for an id' },
    ],
    instead:
      "the same, if ids may be large: then clients need the contract's package. Otherwise a `minimum` and a `maximum` within ±9007199254740991, or a `string`",
    placesIn: schemas((schema) => {
      const [lowest, highest] = [
        schema.number('minimum') ?? schema.number('exclusiveMinimum'),
        schema.number('maximum') ?? schema.number('exclusiveMaximum'),
      ];
      const isBounded = lowest !== undefined && highest !== undefined && isSafe(lowest) && isSafe(highest);
      return schema.text('format') === 'int64' && !isBounded;
    }),
  },
  {
    id: 'large-bound',
    written: '`minimum: -9223372036854775808`',
    seen: [
      {
        tools: { 'openapi-format': '1.33' },
        does: 'the bound is rounded if the tool writes the document again, and lies outside of int64',
      },
    ],
    instead: 'the same, and do not let a tool rewrite the file',
    placesIn: schemas((schema) =>
      bounds.some((key) => {
        const bound = schema.number(key);
        return typeof bound === 'bigint' && !isSafe(bound);
      }),
    ),
  },
  {
    id: 'date-time',
    written: '`format: date-time`',
    seen: [
      {
        tools: { 'hey-api-transformers': '0.95' },
        does: 'the type is `Date`, which cuts microseconds off; an answer holds a text all the same, unless the plugin `@hey-api/sdk` has `transformer: true`',
      },
      {
        tools: { prism: '5.16' },
        does: '`2026-11-27 12:00:00Z` and `2026-11-27T12:00:00+0200` are taken, which RFC 3339 does not have',
      },
      { tools: typescript, does: 'the type is `string`, and every digit is kept', isHarmless: true },
    ],
    instead: 'the same, and let the server refuse other forms',
    placesIn: schemas((schema) => schema.text('format') === 'date-time'),
  },
  {
    id: 'date',
    written: '`format: date`',
    seen: [
      {
        tools: { 'hey-api-transformers': '0.95' },
        does: 'the type is `Date`, which is sent as `2026-11-27T00:00:00.000Z`, and is no date',
      },
      { tools: typescript, does: 'the type is `string`', isHarmless: true },
    ],
    instead: 'the same, and make the client without that plugin; or a `string` with a `pattern`',
    placesIn: schemas((schema) => schema.text('format') === 'date'),
  },
  {
    id: 'required-in-all-of',
    written: '`allOf` whose part requires a member that only another part describes',
    seen: [
      {
        tools: { 'openapi-typescript': '7.13' },
        does: 'the member stays optional; a part without `properties` becomes `Record<string, never>`, which no value fits',
      },
      {
        tools: { 'hey-api': '0.95', oazapfts: '7.5', kubb: '4.39' },
        does: 'the member stays optional',
      },
      { tools: { orval: '7.13' }, does: 'the member is required', isHarmless: true },
    ],
    instead: 'describe the member under `properties` of the part that requires it, too',
    placesIn: (kind, node) =>
      kind !== 'schema' ? [] : node.list('allOf').filter((part) => requiresOther(part)),
  },
  {
    id: 'default',
    written: '`default` of an optional member',
    seen: [
      {
        tools: { 'openapi-typescript': '7.13' },
        does: 'the member is required in the type, in requests as well, unless `--default-non-nullable false` is given',
      },
      {
        tools: { 'hey-api': '0.95', orval: '7.13', oazapfts: '7.5', kubb: '4.39' },
        does: 'the member is optional',
        isHarmless: true,
      },
    ],
    instead: 'the same with that option; or say the default in the `description`',
    placesIn: (kind, node) => {
      if (kind !== 'schema') return [];
      const required = requiredBy(node);
      return (node.at('properties')?.members() ?? [])
        .filter(([name, member]) => !required.has(name) && member.at('default') !== undefined)
        .map(([, member]) => member);
    },
  },
  {
    id: 'no-content',
    written: 'a 204',
    seen: [
      { tools: { 'hey-api': '0.95' }, does: 'the value is `null`' },
      { tools: { orval: '7.13', kubb: '4.39' }, does: 'the value is `{}`' },
      { tools: { oazapfts: '7.5' }, does: 'the value is `""`' },
      {
        tools: { 'openapi-fetch': '0.17', 'swagger-client': '3.37' },
        does: 'the value is `undefined`',
        isHarmless: true,
      },
    ],
    instead: 'the same; let a program look at the status, not at the value',
    placesIn: (kind, node) => (kind === 'responses' && node.at('204') !== undefined ? [node] : []),
  },
  {
    id: 'nullable-one-of',
    written: '`nullable` beside `oneOf` (3.0)',
    seen: [{ tools: { 'openapi-upgrader': '0.4' }, does: 'the null is lost' }],
    instead: "an alternative of `oneOf` that has `nullable` itself; in 3.1 an alternative `type: 'null'`",
    // The reader writes it as `anyOf` of the rest and null, which nobody can write in 3.0.
    placesIn: schemas((schema) => {
      const [rest, nothing] = schema.list('anyOf');
      return (
        schema.fromRoot([])?.text('openapi')?.startsWith('3.0') === true &&
        rest?.at('oneOf') !== undefined &&
        nothing?.text('type') === 'null'
      );
    }),
  },
  {
    id: 'several-errors',
    written: 'several errors with different bodies',
    seen: [
      { tools: { 'swagger-typescript-api': '13.13' }, does: 'all errors have one type' },
      { tools: { 'openapi-typescript-codegen': '0.31' }, does: 'the body of an error is `any`' },
      {
        tools: { kubb: '4.39' },
        does: 'an error is returned as if it were a success, in the type of the success',
      },
      { tools: { 'openapi-generator-rust': '5.0' }, does: 'every error is of the first type that fits' },
    ],
    instead: 'one schema for all errors, as `Error` in `plants.yaml`',
    placesIn: (kind, node) => (kind === 'responses' && errorSchemas(node).size > 1 ? [node] : []),
  },
  {
    id: 'problem-json',
    written: '`application/problem+json`',
    seen: [
      {
        tools: { prism: '5.16' },
        does: 'a client that asks for an error by `Prefer: code=400` and sends `Accept: application/json` gets the success instead',
      },
      {
        tools: { ...typescript, 'swagger-client': '3.37' },
        does: 'it is read as JSON, and typed as with `application/json`',
        isHarmless: true,
      },
    ],
    instead: 'the same, and let clients accept both media types',
    placesIn: (kind, node) =>
      kind === 'response' && node.at('content', 'application/problem+json') !== undefined ? [node] : [],
  },
  {
    id: 'parameter-required',
    written: 'a parameter that becomes `required`',
    seen: [{ tools: { 'openapi-diff': '0.24' }, does: 'the change is not seen; `diff:contract` sees it' }],
    instead: 'the same',
  },
];

function requiredBy(schema: Node): ReadonlySet<unknown> {
  const { value } = schema;
  const names = isMap(value) ? value['required'] : undefined;
  return new Set(Array.isArray(names) ? names : []);
}

/** Whether a schema requires a member that neither it nor a part of its own describes. */
function requiresOther(schema: Node): boolean {
  if (schema.at('allOf') !== undefined) return false;
  return [...requiredBy(schema)].some((name) => schema.at('properties', String(name)) === undefined);
}

/** The schemas of the bodies of errors, by their keys. */
function errorSchemas(responses: Node): ReadonlySet<string> {
  const errors = responses.members().filter(([status]) => /^(?:[45]|default$)/.test(status));
  const media = errors.flatMap(([, response]) => response.list('content'));
  return new Set(media.flatMap((one) => one.at('schema')?.key ?? []));
}
