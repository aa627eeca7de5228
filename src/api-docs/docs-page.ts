/** Makes the HTML of the docs page, and finds the files that it loads. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contract } from '../contract/document/document.js';
import { projectFolder, tokenCommand } from '../project.js';
import type { Resource } from './representation.js';

/** page/README.md says why the page is Swagger UI. */
const styles = ['swagger-ui.css', 'docs.css'];
const scripts = ['swagger-ui-bundle.js', 'accessible.js', 'samples.js', 'docs.js'];

/** The files of the page, by their names. They have 2 MB, so only a request for a file reads it. */
export const docsFiles: ReadonlyMap<string, Resource> = new Map([
  ...styles.map((name) => [name, docsFile(name, 'text/css')] as const),
  ...scripts.map((name) => [name, docsFile(name, 'text/javascript')] as const),
]);

function docsFile(name: string, type: string): Resource {
  return {
    path: `/docs/${name}`,
    mediaType: `${type}; charset=utf-8`,
    content: () => readFile(locationOf(name)),
  };
}

/** The page's own files are not compiled. */
function locationOf(name: string): string {
  if (name.startsWith('swagger-ui')) return fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
  return join(projectFolder, 'src', 'api-docs', 'page', name);
}

/** The HTML of the page. Its links are relative, so that they work behind any proxy. */
export function docsPage({ document: { info } }: Contract): string {
  const title = escapeHtml(info.title);
  const icon =
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><text y='13' font-size='13'>🪴</text></svg>";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} ${escapeHtml(info.version)}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
${styles.map((name) => `<link rel="stylesheet" href="docs/${name}">`).join('\n')}
</head>
<body>
<nav aria-label="The document"><a href="openapi.yaml">openapi.yaml</a> <a href="openapi.json">openapi.json</a></nav>
<aside aria-label="How to get a token">
<p>Operations with a lock take an access token. Whoever runs this server issues one by
<code>${tokenCommand} issue OWNER</code>; a server that was started with a database of its
own has printed one. Press “Authorize” and paste it. Every request that is sent here is then also shown as a program,
in curl and other languages.</p>
</aside>
<div id="docs"><noscript>Without JavaScript, read the document itself: openapi.yaml.</noscript></div>
${scripts.map((name) => `<script src="docs/${name}"></script>`).join('\n')}
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
