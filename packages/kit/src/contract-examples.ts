/**
 * The blocks of code of docs/changing-the-contract.md, whose steps the tests follow: the page cannot be
 * wrong. A block that is missing ends the loading of this module with an error that names it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './project.js';

const page = join('docs', 'changing-the-contract.md');
const text = readFileSync(join(projectFolder, page), 'utf8');

/** The line of openapi/plants.yaml below which the page adds its example operation. */
export const pathOfExample = '  /plants/{id}:\n';

/** The page's example operation, getPlant: its YAML and its handler. */
export const example = { yaml: block('An operation', 'yaml'), handler: block('An operation', 'ts') };

/** The last lines of Plant in openapi/plants.yaml. */
export const endOfPlant = "          pattern: '^[^\\x00]*$'\n          example: climber\n";
/** The last column in src/plants/table.ts. */
export const lastColumn = "    tag: 'text',\n";

/** The page's example member: its YAML at the end of Plant, its column, and its migration. */
export const member = {
  yaml: block('A member', 'yaml'),
  column: block('A member', 'ts'),
  migration: block('A member', 'sql'),
};

function block(section: string, language: string): string {
  const [, part = ''] = text.split(`\n## ${section}\n`);
  const found = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(part)?.[1];
  if (found === undefined) throw new Error(`${page} has no block of ${language} in "${section}".`);
  return found;
}
