/** Makes the files of the tools' npm package. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder, readVersion } from '../../src/project.js';
import { bundlePrograms, programNames } from './bundle.js';

const read = (...path: string[]) => readFile(join(projectFolder, ...path));

/** @returns the content of each file, by its path in the package */
export async function toolsFiles(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const { files, packages } = await bundlePrograms();
  return new Map<string, string | Uint8Array>([
    ['package.json', await manifestOf(packages)],
    ['README.md', await read('scripts', 'contract', 'tools', 'README.md')],
    ['LICENSE', await read('LICENSE')],
    ...[...files].map(([name, content]) => [`program/${name}`, content] as const),
    ...(await docsPageFiles()),
  ]);
}

/** Reads the files that src/api-docs/docs-page.ts needs, and the licence of Swagger UI. */
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

/** Writes the manifest: that of this project, as far as the tools need it. */
async function manifestOf(packages: readonly string[]): Promise<string> {
  const own: {
    license: string;
    engines: object;
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
    overrides: Record<string, string>;
  } = JSON.parse(String(await read('package.json')));
  const versions = { ...own.dependencies, ...own.devDependencies };
  const manifest = {
    name: '@plant-store/contract-tools',
    version: readVersion(),
    description:
      'Checks a running server against its OpenAPI document, compares two documents, and serves one.',
    license: own.license,
    type: 'module',
    engines: own.engines,
    bin: Object.fromEntries(programNames.map((name) => [name, `program/${name}.js`])),
    dependencies: {
      ...Object.fromEntries(packages.map((name) => [name, versions[name]])),
      // Fastify's own. The next version takes cookie 2, which refuses Node.js 20, and an override counts only
      // here.
      'light-my-request': own.overrides['light-my-request'],
    },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
