import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';

const page = await readFile(join(projectFolder, 'docs', 'adding-a-resource.md'), 'utf8');

/** The compiler and packages/service/test/resources/ prove the files, so the steps of the page work if it quotes them. */
t.test('docs/adding-a-resource.md quotes examples/gardens as it is', async (t) => {
  const quotes = Array.from(
    page.matchAll(/^( *)`(examples\/gardens\/[\w./-]+)`:\n\n *```\w+\n(.*?)^ *```$/gms),
    ([, indent = '', file = '', block = '']) => ({
      file,
      text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
  t.equal(quotes.length, page.match(/^ *```(?!sh)\w+$/gm)?.length, 'each block names its file');
  for (const { file, text } of quotes)
    t.ok((await readFile(join(projectFolder, file), 'utf8')).includes(text), `${file} has:\n${text}`);
});
