import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';

const readme = readFileSync(join(projectFolder, 'README.md'), 'utf8');

/** Where the README puts the operation that it adds as an example. */
export const pathOfExample = '  /plants/{id}:\n';

/** That operation, getPlant: below its path in openapi/plants.yaml, and its handler. */
export const example = { yaml: block('yaml'), handler: block('ts') };

function block(language: string): string {
  const [, text] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(readme) ?? [];
  if (text === undefined) throw new Error(`README.md has no block of ${language}.`);
  return text;
}
