import type { Contract } from '../contract/document/document.js';

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

/** The headers of both forms of the document. Pages of any origin may read them. */
const document = {
  cacheControl: revalidate,
  headers: { Link: links, 'Access-Control-Allow-Origin': '*' },
};

/** The Content-Security-Policy of the page: it loads and calls nothing but this service. */
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Swagger UI's icons are data URLs.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The document and its page. What makes them is loaded by the first request: the parser of YAML, and the
 * files of the page, which have 2 MB.
 */
export function resourcesOf(contract: Contract): Resource[] {
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
      content: () => import('./docs-page.js').then(({ docsPage }) => docsPage(contract)),
    },
    {
      path: '/docs/document.json',
      mediaType: 'application/json',
      cacheControl: revalidate,
      content: () => import('./page-document.js').then(({ pageDocument }) => pageDocument(contract)),
    },
  ];
}

/** @returns the files of the page, by their paths, which are all of the form `/docs/:digest/:name` */
export async function docsFiles(): Promise<ReadonlyMap<string, Resource>> {
  const { docsAssets } = await import('./docs-page.js');
  return new Map(
    docsAssets.map(({ path, mediaType, content }) => [
      path,
      { path, mediaType, cacheControl: forever, content: () => content },
    ]),
  );
}
