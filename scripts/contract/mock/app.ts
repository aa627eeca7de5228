/** Builds the mock from the service's own parts: its server, its routes, its checks and its errors. */
import type { FastifyInstance } from 'fastify';
import { bearerCheck } from '../../../src/access/bearer.js';
import { routeService } from '../../../src/api-docs/service-routes.js';
import { makeServer, type ServerParts } from '../../../src/http/server.js';
import { choose, documentedAnswer, exampleAnswers, exampleHandlers, readPreference } from './examples.js';
import { memoryOf } from './memory.js';
import { jsonText } from './samples.js';

/**
 * The token that the mock prints. It need not be secret, because no service accepts it. Any other token of
 * this form is another owner of the mock.
 */
export const mockToken = 'plant_mock000000000000000000000000000bEFbk';

interface MockParts extends ServerParts {
  /** Whether items are kept in memory. Otherwise all answers are the document's examples. */
  readonly stateful?: boolean;
  /** Finds the owner that a token belongs to. By default, each token is an owner of its own. */
  readonly owners?: Parameters<typeof bearerCheck>[1];
  /** Whether failures are answered as the document has them, and not in the service's own form. */
  readonly documentedFailures?: boolean;
  /**
   * Is called with the paths of the collections whose items are kept, and the operations that answer
   * examples.
   */
  readonly onReady?: (kept: readonly string[], examples: readonly string[]) => void;
}

const everybody = { find: async (hash: string) => ({ owner: hash, remainingMs: null }) };

/**
 * Builds the service without its database: the same routes, checks and errors.
 *
 * @throws {ContractError} if the service's own layer cannot serve the contract (any-contract.ts)
 */
export async function buildMock({
  stateful = false,
  documentedFailures = false,
  owners = everybody,
  onReady,
  ...parts
}: MockParts): Promise<FastifyInstance> {
  const app = makeServer(parts);
  const { answers } = exampleAnswers(parts.contract);
  // The layer knows no schemas of the answers of such a contract (any-contract.ts).
  if (documentedFailures) app.setSerializerCompiler(() => jsonText);
  const memory = stateful
    ? memoryOf(parts.contract, (id, status) => documentedAnswer(parts.contract, answers, id, status))
    : { handlers: {}, kept: [] };

  // The hook runs after security check and validation: a bad request gets the same error as in the service.
  app.addHook('preHandler', async (request, reply) => {
    const { operation } = request.routeOptions.config;
    if (operation === undefined) return;
    const preference = readPreference(String(request.headers['prefer'] ?? ''));
    const isPreferred = preference.code !== undefined || preference.example !== undefined;
    if (!isPreferred && Object.hasOwn(memory.handlers, operation.id)) return;
    const answer = choose(answers.get(operation.id) ?? [], operation, preference);
    if (!isPreferred && answer.written === undefined) return;
    const { status, headers = {}, body, written } = answer;
    // RFC 7240, section 3.
    if (isPreferred) reply.header('Preference-Applied', `code=${status}`);
    reply.code(status).headers(headers);
    if (written !== undefined) return reply.type(written.mediaType).send(written.text);
    const { mediaType } = operation.responses.get(status)?.content ?? {};
    return body === undefined || mediaType === undefined ? reply.send() : reply.type(mediaType).send(body);
  });

  if (documentedFailures) {
    // A failure of the service's own layer need not fit the document, which describes failures of its own.
    app.addHook('preSerialization', async (_request, reply, payload) => {
      if (reply.statusCode >= 400) reply.serializer((body) => jsonText(body));
      return payload;
    });
    app.addHook('onSend', async (request, reply, payload) => {
      const { operation } = request.routeOptions.config;
      if (reply.statusCode < 400 || operation === undefined) return payload;
      const { statusCode } = reply;
      const documented = (status: number) => documentedAnswer(parts.contract, answers, operation.id, status);
      // Many answer 422 where the service answers 400.
      const answer = documented(statusCode) ?? (statusCode === 400 ? documented(422) : undefined);
      if (answer === undefined) return payload;
      reply.code(answer.status);
      reply.removeHeader('content-length').headers(answer.headers ?? {});
      if (answer.written !== undefined) {
        reply.type(answer.written.mediaType);
        return answer.written.text;
      }
      const { mediaType } = operation.responses.get(answer.status)?.content ?? {};
      if (answer.body === undefined || mediaType === undefined) {
        reply.removeHeader('content-type');
        return '';
      }
      reply.type(mediaType);
      return typeof payload === 'string' && reply.hasHeader('preference-applied')
        ? payload
        : jsonText(answer.body);
    });
  }

  // Tokens are good in every security scheme.
  const check = await bearerCheck(app, owners);
  const schemes = parts.contract.operations.flatMap(({ security }) => security.flat());
  const examples = parts.contract.operations.filter(({ id }) => !Object.hasOwn(memory.handlers, id));
  onReady?.(
    memory.kept,
    examples.map(({ id }) => id),
  );
  await routeService(app, parts, {
    security: Object.fromEntries(schemes.map((scheme) => [scheme, check])),
    // Operations that the memory does not have always answer with their examples.
    handlers: { ...exampleHandlers(parts.contract, answers), ...memory.handlers },
    answersHead: true,
  });
  return app;
}
