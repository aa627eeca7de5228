import type { Contract } from '../contract/document.js';
import { docsAssets, docsPage, docsPolicy } from './docs-page.js';
import { jsonDocument } from './json-document.js';
import { pageDocument } from './page-document.js';

/** Something to read at a fixed path. */
export interface Resource {
  readonly path: string;
  readonly mediaType: string;
  readonly cacheControl: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What a browser on another origin is told before it asks with `If-None-Match`. */
  readonly preflight?: Readonly<Record<string, string>>;
  /** Whether the content names the address under which the consumer reaches the service. */
  readonly namesAddress?: true;
  /** Where a browser is sent instead. */
  readonly forBrowsers?: string;
  /** @param base the consumer's address without a slash at its end; empty where it is not known, or not named */
  content(base: string): string | Buffer;
}

/** Caches may keep what they got and ask each time whether it still holds: a new contract is seen at once. */
const revalidate = 'public, no-cache';
/** For paths that change with what is there: RFC 8246. */
const forever = 'public, max-age=31536000, immutable';

/** Any page may read these, as it can from anywhere else; they take no credentials. */
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

/** All that the service shows of its contract. */
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
      // Byte for byte, and so with the `servers` that the file has: "/", the server that it came from.
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
    // RFC 9727: a program that knows the address only asks here; people who try the address itself get the same.
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

/** RFC 9264: the same links as in the `Link` header, for programs that read bodies. */
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
