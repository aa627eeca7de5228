import type { Contract } from '../contract/document/document.js';
import { docsAssets, docsPage, docsPolicy } from './docs-page.js';
import { jsonDocument } from './json-document.js';
import { pageDocument } from './page-document.js';

export interface Resource {
  readonly path: string;
  readonly mediaType: string;
  readonly cacheControl: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Browsers send a preflight before `If-None-Match`. */
  readonly preflight?: Readonly<Record<string, string>>;
  /** Whether the content depends on the service's public address. */
  readonly namesAddress?: true;
  /** Where a browser is redirected. */
  readonly forBrowsers?: string;
  /** @param base the service's address without a final slash, or empty */
  content(base: string): string | Buffer;
}

/** Browsers see a new contract at once. */
const revalidate = 'public, no-cache';
/** For paths that hold a digest (RFC 8246). */
const forever = 'public, max-age=31536000, immutable';

/** Pages on any origin may read these. */
const reading = {
  headers: {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'ETag, Link',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  },
  preflight: {
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'If-None-Match',
    'Access-Control-Max-Age': '86400',
  },
};

export function resourcesOf(contract: Contract): Resource[] {
  const catalogue: Omit<Resource, 'path'> = {
    mediaType: 'application/linkset+json',
    cacheControl: revalidate,
    ...reading,
    namesAddress: true,
    content: (base) => catalogueOf(contract, base),
  };
  return [
    {
      path: '/openapi.yaml',
      // RFC 9512.
      mediaType: 'application/yaml',
      cacheControl: revalidate,
      ...reading,
      // Byte for byte as in the file.
      content: () => contract.text,
    },
    {
      path: '/openapi.json',
      mediaType: 'application/json',
      cacheControl: revalidate,
      ...reading,
      namesAddress: true,
      content: (base) => jsonDocument(contract, base),
    },
    // RFC 9727. "/" answers the same.
    { path: '/.well-known/api-catalog', ...catalogue },
    { path: '/', ...catalogue, forBrowsers: '/docs' },
    {
      path: '/docs',
      mediaType: 'text/html; charset=utf-8',
      cacheControl: revalidate,
      headers: { 'Content-Security-Policy': docsPolicy, 'Referrer-Policy': 'no-referrer' },
      content: () => docsPage(contract),
    },
    {
      path: '/docs/document.json',
      mediaType: 'application/json',
      cacheControl: revalidate,
      content: () => pageDocument(contract),
    },
    ...docsAssets.map(({ path, mediaType, content }) => ({
      path,
      mediaType,
      cacheControl: forever,
      content: () => content,
    })),
  ];
}

/** The `Link` header as a body (RFC 9264). */
function catalogueOf({ document }: Contract, base: string): string {
  const linkset = [
    {
      anchor: `${base}/`,
      'service-desc': [
        { href: `${base}/openapi.json`, type: 'application/json' },
        { href: `${base}/openapi.yaml`, type: 'application/yaml' },
      ],
      'service-doc': [{ href: `${base}/docs`, type: 'text/html', title: document.info.title }],
      status: [{ href: `${base}/ready`, type: 'application/json' }],
    },
  ];
  return `${JSON.stringify({ linkset }, undefined, 2)}\n`;
}
