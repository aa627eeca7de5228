/** What a source loads: the files beside it, and the packages. */
import { preProcessFile } from 'typescript';

/**
 * Packages that an import of another one brings along. The newest light-my-request that Fastify admits takes cookie 2,
 * which refuses Node.js 20. npm heeds an override only in the project that installs, so the manifests name the version.
 * A package with the compiler checks programs of Node.js, whose types are a package of their own.
 */
const broughtAlong: Readonly<Record<string, string>> = {
  fastify: 'light-my-request',
  typescript: '@types/node',
};

interface Loaded {
  /** The relative paths, as they are written, such as `../base.js`. */
  readonly files: readonly string[];
  /** The packages, such as `@fastify/cors`. */
  readonly packages: readonly string[];
}

/** @param source TypeScript, JavaScript, or declarations */
export function loadedBy(source: string): Loaded {
  const imported = preProcessFile(source).importedFiles.map(({ fileName }) => fileName);
  // Some of these names are made at run time, but for their beginnings.
  const resolved = source.matchAll(/\b(?:require|import\.meta\.resolve)\([`'"]([^$`'"]+)/g);
  const all = [...imported, ...Array.from(resolved, ([, specifier = '']) => specifier)];
  const packages = all.filter((specifier) => !/^(?:\.|node:)/.test(specifier)).map(packageOf);
  return {
    files: all.filter((specifier) => specifier.startsWith('.')),
    packages: packages.flatMap((name) => [name, broughtAlong[name] ?? []].flat()),
  };
}

/** Returns the package that an import names: `@fastify/cors` for `@fastify/cors/types/…`. */
function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}
