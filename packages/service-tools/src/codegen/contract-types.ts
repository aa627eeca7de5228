/**
 * Writes the types of `generated/`. openapi-typescript makes most of them. Handlers also need to know which
 * credentials an operation asks for, which parameters have a default, and which operations have a tag, so
 * these are written beside them.
 */
import { basename } from 'node:path';
import openapiTypeScript, { astToString, type OpenAPI3, type SchemaObject } from 'openapi-typescript';
import ts from 'typescript';
import { type ApiDocument, withDoubles } from '../../../contract-tools/index.js';
import { isMap, isReference, pathOfReference, valueAt } from '../../../exact-json/index.js';
import type { Contract } from '../../../service/layer.js';
import type { WrittenContract } from './read-contract.js';

const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const orNull = ts.factory.createUnionTypeNode([
  bigint,
  ts.factory.createLiteralTypeNode(ts.factory.createNull()),
]);

/** @returns the text of the TypeScript file, in which an int64 is a `bigint` */
export async function typesOf(contract: WrittenContract): Promise<string> {
  const types = await openapiTypeScript(writtenForTypes(contract.document), { transform: int64Of });
  return `// Made from ${basename(contract.file)} by \`npm run codegen\`; change that file, not this one.

${astToString(types)}
${securityOf(contract)}
${defaultsOf(contract)}
/** The compiler checks handlers against this: packages/service/src/contract/handlers.ts. */
export interface contract {
    operations: operations;
    security: security;
    defaults: defaults;
}

${tagsOf(contract)}`;
}

/** An int64 of several types, in 3.1, is left to openapi-typescript, unless the other one is null. */
function int64Of({ type, format, nullable }: SchemaObject): ts.TypeNode | undefined {
  if (format !== 'int64') return undefined;
  const types = [type].flat();
  const isNullable = nullable === true || types.includes('null');
  if (types.some((one) => one !== 'integer' && one !== 'null' && one !== undefined)) return undefined;
  return isNullable ? orNull : bigint;
}

/**
 * Mends two things that openapi-typescript 7.13 does with references. It makes every referenced header required,
 * so the optional ones are resolved. And it passes over what stands beside the `$ref` of a schema, though that
 * counts since 3.1, so the reference becomes one of `allOf`. It gets the document in its own version, so that
 * the comments that it writes have the author's words.
 */
function writtenForTypes({ written, version }: ApiDocument): OpenAPI3 {
  const document = withDoubles(written);
  const optional = (value: unknown): unknown => {
    const header = headerBehind(document, value);
    if (header !== undefined && header['required'] !== true) return optional(header);
    if (!isReference(value)) return value;
    const { $ref, ...beside } = value;
    // What stands beside a reference means nothing in 3.0.
    if (version === '3.0') return { $ref };
    const hasRules = Object.keys(beside).some((keyword) => !annotations.has(keyword));
    return hasRules ? { allOf: [{ $ref }, beside] } : value;
  };
  return JSON.parse(JSON.stringify(document, (_key, value: unknown) => optional(value)));
}

/** Beside a reference, these say nothing of the type. */
const annotations: ReadonlySet<string> = new Set([
  'summary',
  'description',
  'title',
  'deprecated',
  'examples',
]);

/** The header in `components` that a value refers to. */
function headerBehind(document: unknown, value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isReference(value) || !value.$ref.startsWith('#/components/headers/')) return undefined;
  const header = valueAt(document, pathOfReference(value.$ref));
  return isMap(header) ? header : undefined;
}

function securityOf({ operations }: Contract): string {
  const members = operations.map(({ id, security }) => {
    const alternatives = security.length === 0 ? [[]] : security;
    const tuples = alternatives.map((schemes) => `[${schemes.map(quoted).join(', ')}]`);
    return `    ${quoted(id)}: ${tuples.join(' | ')};\n`;
  });
  return `/** The security schemes of each operation; none if it is public. */
export interface security {
${members.join('')}}
`;
}

function defaultsOf({ operations }: Contract): string {
  const members = operations.flatMap(({ id, parameters }) => {
    const places = new Map<string, string[]>();
    for (const { name, in: place, schema } of parameters) {
      if ('default' in schema) places.set(place, [...(places.get(place) ?? []), quoted(name)]);
    }
    if (places.size === 0) return [];
    const names = [...places].map(([place, quotedNames]) => `${place}: ${quotedNames.join(' | ')}`);
    return `    ${quoted(id)}: { ${names.join('; ')} };\n`;
  });
  return `/** The parameters with a default, by operation and place. They are never undefined in a handler. */
export interface defaults {
${members.join('')}}
`;
}

function tagsOf({ operations }: Contract): string {
  const tags = new Map<string, string[]>();
  for (const { id, tags: named } of operations) {
    for (const tag of named) tags.set(tag, [...(tags.get(tag) ?? []), id]);
  }
  const members = [...tags].map(([tag, ids]) => `    ${quoted(tag)}: ${ids.map(quoted).join(' | ')};\n`);
  return `/** The operations of each tag. */
export interface tags {
${members.join('')}}
`;
}

const quoted = (text: string): string => JSON.stringify(text);
