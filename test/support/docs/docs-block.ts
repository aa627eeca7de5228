import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../../src/project.js';

/** The first, second … block of `language` below the heading `section` of a page in docs/. */
export async function docsBlock(page: string, section: string, language: string, place = 1): Promise<string> {
  const text = await readFile(join(projectFolder, 'docs', page), 'utf8');
  const [, part = ''] = text.split(new RegExp(`^#+ ${section}\n`, 'm'));
  const blocks = Array.from(part.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')));
  const [, block] = blocks[place - 1] ?? [];
  if (block === undefined)
    throw new Error(`docs/${page} has no block ${place} of ${language} in "${section}".`);
  return block;
}
