/**
 * Lists what is served for a consumer who knows only the address: the contract as YAML and as JSON, and the
 * docs page with its document.
 */
import type { Contract } from '../contract/contract.js';
import { docsPage } from './docs-page.js';
import { onceMade } from './once-made.js';

/** Something that is served beside the contract. */
interface ServedFile {
  readonly path: string;
  readonly mediaType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @param base the public address without a final slash; empty if it is not known */
  content(base: string): string | Promise<string>;
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

/** The headers of both forms of the document. Pages of any origin may read them. */
const headers = { Link: links, 'Access-Control-Allow-Origin': '*' };

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
 * @returns the document in both forms, and its page. The first request for the JSON loads the parser of YAML
 */
export function servedFiles(contract: Contract): ServedFile[] {
  const jsonWriter = onceMade(async () => (await import('./json-document.js')).jsonDocument(contract));
  const forPage = onceMade(async () => (await import('./page-document.js')).pageDocument(contract));
  return [
    {
      path: '/openapi.yaml',
      headers,
      // The media type is defined in RFC 9512.
      mediaType: 'application/yaml',
      content: () => contract.text,
    },
    {
      path: '/openapi.json',
      headers,
      mediaType: 'application/json',
      content: async (base) => (await jsonWriter())(base),
    },
    {
      path: '/docs',
      mediaType: 'text/html; charset=utf-8',
      headers: { Link: links, 'Content-Security-Policy': docsPolicy },
      content: () => docsPage(contract),
    },
    {
      path: '/docs/document.json',
      mediaType: 'application/json',
      content: forPage,
    },
  ];
}
