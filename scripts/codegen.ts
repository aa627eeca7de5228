/**
 * `npm run codegen`: openapi/plants.yaml → generated/plants.ts.
 * `npm run codegen -- --check` writes nothing and exits 1 where the file is stale.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { type Contract, ContractError, readContract } from '../src/contract/document.js';
import { contractFile, projectFolder } from '../src/project.js';

const target = join(projectFolder, 'generated', 'plants.ts');
const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);

/** The TypeScript of a contract: openapi-typescript's types, with int64 as `bigint`, and who must pass which check. */
async function typesOf(contract: Contract): Promise<string> {
  const types = await openapiTypeScript(contract.text, {
    transform: ({ format }) => (format === 'int64' ? bigint : undefined),
  });
  return `// Made from openapi/plants.yaml by \`npm run codegen\`; change that file, not this one.

${astToString(types)}
${securityOf(contract)}`;
}

/** What openapi-typescript leaves out: the security schemes of each operation. */
function securityOf({ operations }: Contract): string {
  const members = operations.map(({ id, security }) => {
    const schemes = security.map((scheme) => JSON.stringify(scheme)).join(', ');
    return `    ${JSON.stringify(id)}: [${schemes}];\n`;
  });
  return `/** The security schemes that a caller of each operation must pass; none for a public operation. */
export interface security {
${members.join('')}}
`;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const types = await typesOf(await readContract(contractFile));
  if (!values.check) {
    await writeFile(target, types);
    return 0;
  }
  if ((await readFile(target, 'utf8').catch(() => undefined)) === types) return 0;
  console.error(
    `${relative(process.cwd(), target)} is stale: run "npm run codegen" and commit what it writes.`,
  );
  return 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof ContractError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
