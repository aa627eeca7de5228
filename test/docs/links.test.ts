/** The links between the pages of this repository: each leads to a file, and to a heading of it if it names one. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';

const foldersWithPages = ['docs', 'examples', 'packages', 'scripts', 'src'];
const pages = await findPages();

async function findPages(): Promise<string[]> {
  const atRoot = (await readdir(projectFolder)).map((name) => join(projectFolder, name));
  const below = await Promise.all(
    foldersWithPages.map(async (folder) => {
      const names = await readdir(join(projectFolder, folder), { recursive: true });
      return names.map((name) => join(projectFolder, folder, name));
    }),
  );
  return [...atRoot, ...below.flat()].filter(
    (file) => file.endsWith('.md') && !file.includes('node_modules'),
  );
}

async function proseOf(page: string): Promise<string> {
  return (await readFile(page, 'utf8')).replaceAll(/^ *```.*?^ *```$/gms, '');
}

/** The anchors that GitHub gives to the headings of a page. */
async function anchorsOf(page: string): Promise<Set<string>> {
  const headings = (await proseOf(page)).matchAll(/^#+ +(.*)$/gm);
  return new Set(
    Array.from(headings, ([, heading = '']) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

t.test('every link from one page to another leads somewhere', async (t) => {
  t.not(pages.length, 0);
  for (const page of pages) {
    for (const [, target = ''] of (await proseOf(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      const link = `${relative(projectFolder, page)} links to ${target}`;
      if (!existsSync(file)) t.fail(`${link}, and there is no such file: correct the link.`);
      else if (anchor !== undefined && !(await anchorsOf(file)).has(anchor))
        t.fail(`${link}, and that page has no such heading: correct the link.`);
    }
  }
});
