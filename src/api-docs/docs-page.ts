import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contract } from '../contract/document/document.js';
import { projectFolder, tokenCommand } from '../project.js';

interface Asset {
  readonly path: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

/** page/README.md says why the page is Swagger UI. */
const styles = [packaged('swagger-ui.css'), own('docs.css')].map((file) => readAsset(file, 'text/css'));
const ownScripts = ['accessible.js', 'samples.js', 'docs.js'].map(own);
const scripts = [packaged('swagger-ui-bundle.js'), ...ownScripts].map((file) =>
  readAsset(file, 'text/javascript'),
);

/** The files of the page. Their paths have a digest, so that browsers can keep them for ever. */
export const docsAssets: readonly Asset[] = [...styles, ...scripts];

function packaged(name: string): string {
  return fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
}

/** The page's own files, which are not compiled. */
function own(name: string): string {
  return join(projectFolder, 'src', 'api-docs', 'page', name);
}

function readAsset(file: string, type: string): Asset {
  const content = readFileSync(file);
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const name = file.replace(/^.*[/\\]/, '');
  return { path: `/docs/${digest}/${name}`, mediaType: `${type}; charset=utf-8`, content };
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
${styles.map(({ path }) => `<link rel="stylesheet" href="${path.slice(1)}">`).join('\n')}
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
${scripts.map(({ path }) => `<script src="${path.slice(1)}"></script>`).join('\n')}
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
