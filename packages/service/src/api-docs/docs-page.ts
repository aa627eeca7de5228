/** Makes the HTML of the docs page, and reads the files that it loads. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contract } from '../contract/contract.js';
import { sourceFolder, tokenCommand } from '../project.js';
import { onceMade } from './once-made.js';

/** page/README.md says why the page is Swagger UI. */
const styleNames = ['swagger-ui.css', 'docs.css'];
const scriptNames = ['swagger-ui-bundle.js', 'accessible.js', 'docs.js'];

/**
 * The files of the page. They have 2 MB, so only the first request for the page or for a file reads them.
 * Their paths are all of the form `/docs/:digest/:name`, so that browsers can keep them for ever, and so that
 * a page never loads the files of another version.
 */
export const docsFiles = onceMade(async () => ({
  styles: await Promise.all(styleNames.map((name) => readDocsFile(name, 'text/css'))),
  scripts: await Promise.all(scriptNames.map((name) => readDocsFile(name, 'text/javascript'))),
}));

interface DocsFile {
  readonly path: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

async function readDocsFile(name: string, type: string): Promise<DocsFile> {
  const content = await readFile(locationOf(name));
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { path: `/docs/${digest}/${name}`, mediaType: `${type}; charset=utf-8`, content };
}

/** The page's own files are not compiled. */
function locationOf(name: string): string {
  if (name.startsWith('swagger-ui')) return fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
  return join(sourceFolder(import.meta.dirname), 'page', name);
}

/** @returns the HTML of the page. Its links are relative, so that they work behind any proxy */
export async function docsPage({ title, version }: Pick<Contract, 'title' | 'version'>): Promise<string> {
  const { styles, scripts } = await docsFiles();
  const icon =
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><text y='13' font-size='13'>🪴</text></svg>";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} ${escapeHtml(version)}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
${styles.map(({ path }) => `<link rel="stylesheet" href="${path.slice(1)}">`).join('\n')}
</head>
<body>
<nav aria-label="The document"><a href="openapi.yaml">openapi.yaml</a> <a href="openapi.json">openapi.json</a></nav>
<aside aria-label="How to get a token">
<p>Operations with a lock take an access token. Whoever runs this server issues one by
<code>${tokenCommand} issue OWNER</code>; a server that was started on a terminal with a
database of its own has printed one. Press “Authorize” and paste it. Every request that is sent here is then also shown as a
command of curl.</p>
</aside>
<div id="docs"><noscript>Without JavaScript, read the document itself: openapi.yaml.</noscript></div>
${scripts.map(({ path }) => `<script src="${path.slice(1)}"></script>`).join('\n')}
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
