import type { Contract } from '../contract/document/document.js';
import { docsAssets, docsPage, docsPolicy } from './docs-page.js';

export interface Resource {
  readonly path: string;
  readonly mediaType: string;
  readonly cacheControl: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set if the content names the address by which the client reached the service. */
  readonly namesAddress?: true;
  /**
   * @param base the public address without a final slash; empty if it is not known, or if the content does
   * not name it
   */
  content(base: string): string | Buffer | Promise<string>;
}

/**
 * The header Link, by which clients find the document (RFC 8631). Its targets are relative to paths such as
 * `/docs`, which have only one slash.
 */
export const links = [
  '<openapi.json>; rel="service-desc"; type="application/json"',
  '<openapi.yaml>; rel="service-desc"; type="application/yaml"',
  '<docs>; rel="service-doc"; type="text/html"',
].join(', ');

const revalidate = 'public, no-cache';
/** The Cache-Control of paths that have a digest of their content (RFC 8246). */
const forever = 'public, max-age=31536000, immutable';

/** What both forms of the document have in common. Pages of any origin may read them. */
const document = {
  cacheControl: revalidate,
  headers: { Link: links, 'Access-Control-Allow-Origin': '*' },
};

export function resourcesOf(contract: Contract): Resource[] {
  // Loaded by the first request, because it needs the parser of YAML, and nothing else of the service does.
  let writeJson: Promise<(base: string) => string> | undefined;
  return [
    {
      ...document,
      path: '/openapi.yaml',
      // The media type is defined in RFC 9512.
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
