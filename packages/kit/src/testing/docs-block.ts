/** Finds the examples in the pages of docs/. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../project.js';

/**
 * Reads an example out of a page, so that a test can try it.
 *
 * @param page a path below docs/
 * @param section the heading above the block, of any level
 * @param language what the block says after its three backticks
 * @param place 1 for the first such block of the section, 2 for the second …
 * @throws {Error} if there is no such block
 */
export async function docsBlock(page: string, section: string, language: string, place = 1): Promise<string> {
  const text = await readFile(join(projectFolder, 'docs', page), 'utf8');
  const [, part = ''] = text.split(new RegExp(`^#+ ${section}\n`, 'm'));
  const blocks = Array.from(part.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')));
  const [, block] = blocks[place - 1] ?? [];
  if (block === undefined)
    throw new Error(`docs/${page} has no block ${place} of ${language} in "${section}".`);
  return block;
}
