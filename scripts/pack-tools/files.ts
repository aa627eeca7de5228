/** Makes the files of the tools' npm package, whose manifest and page are those of packages/contract-tools/src/. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../packages/kit/index.js';
import { bundlePrograms } from './bundle.js';

const read = (...path: string[]) => readFile(join(projectFolder, ...path));

/** @returns the content of each file, by its path in the package */
export async function toolsFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { files } = await bundlePrograms();
  return new Map([
    ['package.json', await read('scripts', 'contract', 'package.json')],
    ['README.md', await read('scripts', 'contract', 'README.md')],
    ['change-ids.md', await read('scripts', 'contract', 'change-ids.md')],
    ['LICENSE', await read('LICENSE')],
    ...[...files].map(([name, content]) => [`program/${name}`, content] as const),
    ...(await docsPageFiles()),
  ]);
}

/** Reads the files that packages/service/src/api-docs/docs-page.ts needs, and the licence of Swagger UI. */
async function docsPageFiles(): Promise<[string, Uint8Array][]> {
  const page = join('src', 'api-docs', 'page');
  const own = (await readdir(join(projectFolder, page))).map((name) => `${page}/${name}`);
  const carried = ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE'];
  return Promise.all([
    ...own.map(async (name): Promise<[string, Uint8Array]> => [name, await read(name)]),
    ...carried.map(
      async (name): Promise<[string, Uint8Array]> => [
        `swagger-ui-dist/${name}`,
        await read('node_modules', 'swagger-ui-dist', name),
      ],
    ),
  ]);
}
