/**
 * Compiles TypeScript for tests whose coverage is counted, with its own transpileModule, whose lines coverage gets
 * right. The output is kept, because a hundred processes load the same files. tap's own loaders take a second of each
 * process: one loads TypeScript, the other is for t.mock(). Tests without coverage are compiled before they run
 * (scripts/test/compiled.ts).
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Node.js runs the two hooks below in a thread of their own.
if (isMainThread) register(import.meta.url);

const require = createRequire(import.meta.url);
const folder = fileURLToPath(new URL('../../../.tap/transpiled', import.meta.url));
mkdirSync(folder, { recursive: true });
const { version } = require('typescript/package.json');
const settings = fileURLToPath(new URL('../../../tsconfig.json', import.meta.url));
// All that the output depends on, beside the file itself.
const circumstances = [
  version,
  ...[settings, fileURLToPath(import.meta.url)].map((file) => readFileSync(file, 'utf8')),
];

/** The sources import what is compiled. */
export function resolve(specifier, context, next) {
  if (/^\..*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const source = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
    if (existsSync(source)) return next(source.href, context);
  }
  return next(specifier, context);
}

export function load(url, context, next) {
  if (!/^file:.*\.ts$/.test(url)) return next(url, context);
  // tap records what it is passed, for coverage.
  return next(url, { ...context, format: 'module', source: compiled(fileURLToPath(url)) });
}

function compiled(fileName) {
  const text = readFileSync(fileName, 'utf8');
  const key = createHash('sha256')
    .update([...circumstances, fileName, text].join('\n'))
    .digest('hex');
  const file = join(folder, `${basename(fileName)}.${key}.js`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const output = transpile(text, fileName);
    // Other processes see the whole file, or none.
    writeFileSync(`${file}.${process.pid}`, output);
    renameSync(`${file}.${process.pid}`, file);
    return output;
  }
}

function transpile(text, fileName) {
  // Here, since loading it takes half a second.
  const ts = require('typescript');
  const { config } = ts.readConfigFile(settings, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.');
  const output = { module: ts.ModuleKind.ESNext, inlineSourceMap: true, inlineSources: true };
  return ts.transpileModule(text, { fileName, compilerOptions: { ...options, ...output } }).outputText;
}
