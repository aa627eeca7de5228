/** OpenTelemetry's traces. Spans and their attributes are in docs/operations/README.md. */
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

/** A collector that does not answer must not hold up the end. */
const flushTimeoutMs = 3_000;

/**
 * @param isTrusted whether the `traceparent` of a peer with this address is believed
 * @returns a function that sends what is left
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
    await Promise.race([provider.shutdown().catch(() => {}), pause(flushTimeoutMs)]);
  };
}

const notSampled = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
const propagator = new W3CTraceContextPropagator();
/** Others could be made up without end (semantic conventions, `http.request.method`). */
const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']);

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span */
function traceRequests(
  tracer: Tracer,
  current: AsyncLocalStorage<Span>,
  isTrusted: (address: string) => boolean,
): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  events.on('requestBegan', (request) => {
    const { url, headers, socket, routeOptions } = request;
    const method = methods.has(request.method) ? request.method : '_OTHER';
    const route = routeOptions.config.operation?.path ?? routeOptions.url;
    const attributes: Attributes = {
      'http.request.method': method,
      ...(method === '_OTHER' && { 'http.request.method_original': request.method }),
      ...(route !== undefined && { 'http.route': route }),
      'url.path': textForLog(url.replace(/\?.*/s, '')),
      'url.scheme': textForLog(request.protocol),
      'client.address': textForLog(request.ip ?? ''),
      'network.protocol.version': request.raw.httpVersion,
    };
    const verb = method === '_OTHER' ? 'HTTP' : method;
    const span = tracer.startSpan(
      route === undefined ? verb : `${verb} ${route}`,
      { kind: SpanKind.SERVER, attributes },
      // A stranger's header would decide about the sampling, and put spans into the traces of others
      // (W3C Trace Context, "Security Considerations").
      isTrusted(String(socket.remoteAddress))
        ? propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
        : ROOT_CONTEXT,
    );
    spans.set(request, span);
    current.enterWith(span);
  });
  events.on('requestEnded', (request, reply) => {
    // It began after the service was traced.
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

/** A batch is a part of its first request, and is linked with the others. */
function traceBatches(tracer: Tracer, current: AsyncLocalStorage<Span>): void {
  const requests = new WeakMap<object, Span>();
  const batches = new WeakMap<object, Span>();
  events.on('itemWaits', (item) => {
    const request = current.getStore();
    if (request?.isRecording()) requests.set(item, request);
  });
  events.on('batchBegan', (work, items) => {
    const [first, ...others] = new Set(items.flatMap((item) => requests.get(item) ?? []));
    // Nothing that is sampled. The statements are no part of the request that this context comes from.
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

/** https://opentelemetry.io/docs/specs/semconv/db/database-spans/ */
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
    // The service's own work belongs to no request.
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
