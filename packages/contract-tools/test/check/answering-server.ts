/** Checks a server of a few lines: a test gives its document, and a function that answers each request. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Scope } from '../../src/base/scope.js';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import type { Report } from '../../src/check/verdict/report.js';
import { readDocument } from '../../src/document/read-document.js';

type Members = Readonly<Record<string, unknown>>;

interface Asked {
  readonly method: string;
  /** The segments of the path: that of `/orders/1` is `['orders', '1']`. */
  readonly path: readonly string[];
  /** The members of the body; none if it is not a JSON object. */
  readonly body: Members;
  /** Whose token the request has; undefined if it has none of the two. */
  readonly owner: string | undefined;
}

/** An answer; a body of undefined is empty. */
export type Answered = readonly [status: number, body?: unknown, headers?: Readonly<Record<string, string>>];

interface Tried {
  readonly yaml: string;
  readonly answer: (asked: Asked) => Answered;
  /** The rules that are on. */
  readonly rules: readonly string[];
  /** The check whose findings are wanted, by its title. */
  readonly title: string;
}

/** @returns the report, and each finding of the check as its operation and its rule */
export async function checkAnswers(
  scope: Scope,
  { yaml, answer, rules, title }: Tried,
): Promise<Report & { readonly found: readonly string[] }> {
  const tokens = ['first', 'second'].map((owner) => ({ text: `token-of-${owner}`, shell: `$${owner}` }));
  const server = createServer((request, response) => {
    text(request).then(
      (sent) => {
        const { method = '', url = '', headers } = request;
        const [status, body, further] = answer({
          method,
          path: (url.split('?')[0] ?? '').split('/').slice(1),
          body: membersOf(sent),
          owner: tokens.find((token) => headers.authorization === `Bearer ${token.text}`)?.text,
        });
        response.writeHead(status, {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(status === 401 && { 'www-authenticate': 'Bearer' }),
          ...further,
        });
        response.end(body === undefined ? undefined : JSON.stringify(body));
      },
      () => response.destroy(),
    );
  });
  const [token, otherToken] = tokens;
  const report = await check({
    document: readDocument(yaml, 'answers.yaml'),
    url: new URL(await serveIn(scope, server)),
    rules: { on: new Set(rules), file: undefined },
    ...(yaml.includes('securitySchemes') && { token, otherToken }),
    ...{ seed: 1, cases: 1 },
  });
  const findings = report.checks.filter((one) => one.title === title).flatMap((one) => one.findings);
  return { ...report, found: findings.map(({ operation, rule }) => `${operation}: ${rule}`) };
}

function membersOf(sent: string): Members {
  try {
    const value: unknown = JSON.parse(sent);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
