/**
 * Traces in the form of OpenTelemetry. docs/operations/log.md lists the spans and their attributes. Loaded
 * only if the settings ask for traces.
 *
 * A span belongs below another one, but a batch has the requests of several callers, and its statement must
 * be seen from each of them. The folders that do the work know nothing of spans: they only emit events. So the
 * listeners here keep the present span in an AsyncLocalStorage, `current`, which follows a request through
 * its promises:
 *
 * 1. `requestBegan` makes a span for the request, and makes it the present one.
 * 2. `itemWaits` comes while that span is the present one. It notes the span of the item's request.
 * 3. `batchBegan` makes a span for the batch, below the request of its first item. The others are linked with
 *    it, in both directions. The batch's span becomes the present one.
 * 4. `statementBegan` makes a span below the present one, which is that of the batch.
 *
 * For example, three creates share a statement. The first one's trace has the request, the batch and the
 * statement. The other two have the request only, with a link to the batch.
 *
 * The cost: a span for each request, also for one that is not sampled. Who is traced is decided by the
 * variables of OpenTelemetry, or by the `traceparent` of a trusted peer.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Attributes,
  defaultTextMapGetter,
  INVALID_SPAN_CONTEXT,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../log/log.js';
import { LogSampler } from '../log/sampler.js';
import { textForLog } from '../log/text.js';
import { readVersion } from '../project.js';
import type { TraceProtocol } from '../settings.js';
import { events } from './events.js';

/** How long the end of the service waits for a collector that does not answer. */
const maxFlushMs = 3_000;

/**
 * Begins to send traces, which ends with the process. The environment says where to (opentelemetry.io,
 * "Environment Variable Specification").
 *
 * @param isTrusted whether the `traceparent` of a peer with this address is believed
 * @returns a function that sends what is left, and gives up after 3 s. It does not throw
 */
export async function startTracing(
  protocol: TraceProtocol,
  isTrusted: (address: string) => boolean,
  log: Log,
): Promise<() => Promise<void>> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const sampler = new LogSampler();
  setGlobalErrorHandler((error) => {
    const leftOut = sampler.pass('traces');
    if (leftOut !== undefined)
      log.warn({ err: error, ...(leftOut > 0 && { leftOut }) }, 'traces could not be sent');
  });
  const service = resourceFromAttributes({
    'service.name': 'plant-store',
    'service.version': readVersion(),
  });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(service)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('plant-store');
  const current = new AsyncLocalStorage<Span>();
  traceRequests(tracer, current, isTrusted);
  traceBatches(tracer, current);
  traceStatements(tracer, current);
  return async () => {
    await Promise.race([provider.shutdown().catch(() => {}), pause(maxFlushMs)]);
  };
}

const notSampled = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
const propagator = new W3CTraceContextPropagator();
/**
 * The methods that name a span. Clients could make up others without end (semantic conventions,
 * "http.request.method").
 */
const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']);

/**
 * Makes a span for each request:
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span
 */
function traceRequests(
  tracer: Tracer,
  current: AsyncLocalStorage<Span>,
  isTrusted: (address: string) => boolean,
): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  events.on('requestBegan', (request) => {
    const { headers, socket, routeOptions } = request;
    const method = methods.has(request.method) ? request.method : '_OTHER';
    const route = routeOptions.config.operation?.path ?? routeOptions.url;
    const attributes: Attributes = {
      'http.request.method': method,
      ...(method === '_OTHER' && { 'http.request.method_original': request.method }),
      ...(route !== undefined && { 'http.route': route }),
      'url.scheme': textForLog(request.protocol),
      'client.address': textForLog(request.ip ?? ''),
      'network.protocol.version': request.raw.httpVersion,
    };
    const verb = method === '_OTHER' ? 'HTTP' : method;
    const span = tracer.startSpan(
      route === undefined ? verb : `${verb} ${route}`,
      { kind: SpanKind.SERVER, attributes },
      // Only the header of a trusted peer counts. A stranger could decide about the sampling, and put spans
      // into the traces of others (W3C Trace Context, "Security Considerations").
      isTrusted(String(socket.remoteAddress))
        ? propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
        : ROOT_CONTEXT,
    );
    spans.set(request, span);
    current.enterWith(span);
  });
  events.on('requestEnded', (request, reply) => {
    // There is one, because the listener above was there before the first request.
    const span = spans.get(request) as Span;
    describeAnswer(span, reply);
    span.end();
  });
}

function describeAnswer(span: Span, reply: FastifyReply): void {
  const { raw, statusCode } = reply;
  if (raw.headersSent) span.setAttribute('http.response.status_code', statusCode);
  span.setAttribute('http.response.header.x-request-id', [String(reply.getHeader('x-request-id'))]);
  if (raw.writableFinished && statusCode < 500) return;
  span.setAttribute('error.type', raw.writableFinished ? String(statusCode) : 'connection_lost');
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * Makes a span for each batch. It is a part of the trace of its first request, and is linked with the others.
 */
function traceBatches(tracer: Tracer, current: AsyncLocalStorage<Span>): void {
  const requests = new WeakMap<object, Span>();
  const batches = new WeakMap<object, Span>();
  events.on('itemWaits', (item) => {
    const request = current.getStore();
    if (request?.isRecording()) requests.set(item, request);
  });
  events.on('batchBegan', (work, items) => {
    const [first, ...others] = new Set(items.flatMap((item) => requests.get(item) ?? []));
    // No request of the batch is sampled, so neither are its statements. The context could be that of another
    // request.
    if (first === undefined) return current.enterWith(notSampled);
    const links: Link[] = others.map((span) => ({ context: span.spanContext() }));
    const attributes = { 'plant_store.batch.size': items.length };
    const batch = tracer.startSpan(
      `batch: ${work}`,
      { links, attributes },
      trace.setSpan(ROOT_CONTEXT, first),
    );
    for (const span of others) span.addLink({ context: batch.spanContext() });
    batches.set(items, batch);
    current.enterWith(batch);
  });
  events.on('batchEnded', (items) => batches.get(items)?.end());
}

/** Makes a span for each statement: https://opentelemetry.io/docs/specs/semconv/db/database-spans/ */
function traceStatements(tracer: Tracer, current: AsyncLocalStorage<Span>): void {
  const spans = new WeakMap<object, Span>();
  const end = (statement: object | undefined, errorType?: string): void => {
    const span = statement && spans.get(statement);
    if (errorType !== undefined) {
      span?.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
    }
    span?.end();
  };
  events.on('statementBegan', (statement, name) => {
    const parent = current.getStore();
    // Statements of the service's own work, such as the removal of old tokens, belong to no request.
    if (parent?.isRecording() !== true) return;
    const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
    const options = { kind: SpanKind.CLIENT, attributes };
    spans.set(statement, tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent)));
  });
  events.on('statementEnded', (statement) => end(statement));
  events.on('databaseFailed', (sqlStateClass, statement) =>
    end(statement, `SQLSTATE class ${sqlStateClass}`),
  );
}
