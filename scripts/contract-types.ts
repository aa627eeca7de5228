import openapiTypeScript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { digestOf } from '../src/contract/digest.js';
import type { Contract } from '../src/contract/document.js';

const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);

/** The file in generated/: the types, and what tells the start from which document they were made. */
export async function generatedFrom(contract: Contract): Promise<string> {
  return `${await typesOf(contract)}
/** Of the document: src/contract/digest.ts. */
export const digest = ${quoted(digestOf(contract))};
`;
}

/** The TypeScript of a contract: openapi-typescript's types, with int64 as `bigint`, and what those leave out. */
export async function typesOf(contract: Contract): Promise<string> {
  const types = await openapiTypeScript(contract.text, {
    transform: ({ format }) => (format === 'int64' ? bigint : undefined),
  });
  return `// Made from openapi/plants.yaml by \`npm run codegen\`; change that file, not this one.

${astToString(types)}
${securityOf(contract)}
${tagsOf(contract)}`;
}

function securityOf({ operations }: Contract): string {
  const members = operations.map(({ id, security }) => {
    const alternatives = security.length === 0 ? [[]] : security;
    const tuples = alternatives.map((schemes) => `[${schemes.map(quoted).join(', ')}]`);
    return `    ${quoted(id)}: ${tuples.join(' | ')};\n`;
  });
  return `/** The security schemes that a caller of each operation must pass; none for a public operation. */
export interface security {
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
