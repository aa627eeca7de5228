import type { Contract } from '../contract/document/document.js';
import { docsAssets, docsPage, docsPolicy } from './docs-page.js';

export interface Resource {
  readonly path: string;
  readonly mediaType: string;
  readonly cacheControl: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether content depends on the public address. */
  readonly namesAddress?: true;
  /** @param base without a final slash, or empty */
  content(base: string): string | Buffer | Promise<string>;
}

/** RFC 8631. Relative to a path without a second slash. */
export const links = [
  '<openapi.json>; rel="service-desc"; type="application/json"',
  '<openapi.yaml>; rel="service-desc"; type="application/yaml"',
  '<docs>; rel="service-doc"; type="text/html"',
].join(', ');

const revalidate = 'public, no-cache';
/** For paths that hold a digest (RFC 8246). */
const forever = 'public, max-age=31536000, immutable';

/** Pages on any origin may read it. */
const document = {
  cacheControl: revalidate,
  headers: { Link: links, 'Access-Control-Allow-Origin': '*' },
};

export function resourcesOf(contract: Contract): Resource[] {
  // Imported at the first request: it parses YAML, which nothing else of the service does.
  let writeJson: Promise<(base: string) => string> | undefined;
  return [
    {
      ...document,
      path: '/openapi.yaml',
      // RFC 9512.
      mediaType: 'application/yaml',
      content: () => contract.text,
    },
    {
      ...document,
      path: '/openapi.json',
      mediaType: 'application/json',
      namesAddress: true,
      content: (base) => {
        writeJson ??= import('./json-document.js').then(({ jsonDocument }) => jsonDocument(contract));
        return writeJson.then((write) => write(base));
      },
    },
    {
      path: '/docs',
      mediaType: 'text/html; charset=utf-8',
      cacheControl: revalidate,
      headers: { Link: links, 'Content-Security-Policy': docsPolicy },
      content: () => docsPage(contract),
    },
    {
      path: '/docs/document.json',
      mediaType: 'application/json',
      cacheControl: revalidate,
      content: () => import('./page-document.js').then(({ pageDocument }) => pageDocument(contract)),
    },
    ...docsAssets.map(({ path, mediaType, content }) => ({
      path,
      mediaType,
      cacheControl: forever,
      content: () => content,
    })),
  ];
}
